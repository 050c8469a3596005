// npm ends at SIGTERM, and doesn't pass the signal on to what it runs. So what `npm start` and
// `npm run work` run watches for that, and ends as if the signal had reached it.
const CHECK_EVERY_MS = 500;

if (process.env.npm_lifecycle_event) {
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, CHECK_EVERY_MS);
  timer.unref();
}
