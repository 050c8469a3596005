import { chromium } from "playwright";
const base="http://127.0.0.1:"+(process.env.PORT_APP||"4800");
const b=await chromium.launch({executablePath:"/work/main/.cache/chromium-147.0.0/chromium",args:["--no-sandbox"]}).catch(async()=>{const fs=await import("fs");const p="/work/main/.cache/chromium-147.0.0";console.log(fs.readdirSync(p));throw 1});
const [who,widths,...pages]=process.argv.slice(2);
for(const w of widths.split(",").map(Number)){
 const c=await b.newContext({viewport:{width:w,height:900},colorScheme:process.env.DARK?"dark":"light"});
 const p=await c.newPage();
 await p.goto(base+"/login");await p.fill('[name=email]',who+"@demo.test");await p.fill('[name=password]',"rainbow-demo-1");await Promise.all([p.waitForURL(u=>!u.pathname.includes("login")),p.keyboard.press("Enter")]);
 for(const path of pages){await p.goto(base+path);await p.waitForLoadState("networkidle");const name=(who+path.replace(/[^a-z0-9]+/gi,"-")+"-"+w+(process.env.DARK?"-dark":""));const h=await p.evaluate(()=>document.documentElement.scrollHeight);await p.screenshot({path:"/work/shots14/"+name+".png",fullPage:!process.env.FOLD});console.log(name,h);}
 await c.close();}
await b.close();
