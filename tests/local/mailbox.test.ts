import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import nodemailer from "nodemailer";
import { afterEach, describe, expect, it } from "vitest";

import { linksOf, textOf } from "../../local/html";
import { Mailbox } from "../../local/mailbox";
import { mailboxList, mailboxMail } from "../../local/mailbox-page";
import { listenForMail } from "../../local/smtp";

const folder = mkdtempSync(join(tmpdir(), "mailbox-"));
const file = join(folder, "mails.jsonl");
afterEach(() => rmSync(file, { force: true }));

const HTML = `<style>p { color: red }</style><h1>Hello &amp; welcome</h1>
  <p>Please <a href="http://dashboard.test/confirm?a=1&amp;b=2">confirm</a>.</p>`;

describe("the mailbox", () => {
  it("stores an email with its links and plain text", () => {
    const mail = new Mailbox().send({ to: "a@example.test", subject: "Hi", html: HTML });
    expect(mail).toMatchObject({
      to: "a@example.test",
      subject: "Hi",
      links: ["http://dashboard.test/confirm?a=1&b=2"],
      text: "Hello & welcome\n\nPlease confirm: http://dashboard.test/confirm?a=1&b=2.",
    });
  });

  it("keeps the last 500 over a restart, and drops a half-written line", () => {
    const first = new Mailbox({ file });
    for (let count = 0; count < 505; count += 1) {
      first.send({ to: "a@example.test", subject: `No. ${count}`, html: HTML });
    }
    const second = new Mailbox({ file });
    expect(second.mails.map((mail) => mail.subject)).toEqual(
      Array.from({ length: 500 }, (_, turn) => `No. ${turn + 5}`),
    );
    rmSync(file);
    new Mailbox({ file }).send({ to: "b@example.test", subject: "Whole", html: HTML });
    const whole = readFileSync(file, "utf8");
    // The process was killed while it wrote the second line.
    new Mailbox({ file }).send({ to: "b@example.test", subject: "Half", html: HTML });
    const cut = readFileSync(file, "utf8").slice(0, whole.length + 20);
    rmSync(file);
    writeFileSync(file, cut);
    expect(new Mailbox({ file }).mails.map((mail) => mail.subject)).toEqual(["Whole"]);
    expect(readFileSync(file, "utf8")).toBe(whole);
  });

  it("stores an email received by SMTP, with its plain text, for each recipient", async () => {
    const mailbox = new Mailbox();
    const server = await listenForMail(0, mailbox);
    const transport = nodemailer.createTransport(server.url);
    await transport.sendMail({
      from: "team@example.test",
      to: ["a@example.test", "b@example.test"],
      subject: "Grüße",
      html: HTML,
      text: "Hello\n\nin plain words",
    });
    await server.close();
    expect(mailbox.mails).toMatchObject(
      ["a@example.test", "b@example.test"].map((to) => ({
        to,
        subject: "Grüße",
        text: "Hello\n\nin plain words\n",
        links: ["http://dashboard.test/confirm?a=1&b=2"],
      })),
    );
  });

  it("lists web links only", () => {
    expect(
      linksOf(`<a href="javascript:alert(1)">x</a><a class="b" href='https://a.test/'>y</a>`),
    ).toEqual(["https://a.test/"]);
    expect(textOf("a<br>b &#233; &#xe9; &nbsp;c<script>d</script>")).toBe("a\nb é é  c");
  });
});

describe("the mailbox page", () => {
  const mailbox = new Mailbox();
  const first = mailbox.send({ to: "a@example.test", subject: "First", html: HTML });
  mailbox.send({ to: "<b>@example.test", subject: `<script>alert("x")</script>`, html: HTML });

  it("lists the emails, newest first, with their text escaped", async () => {
    const page = await mailboxList(mailbox.mails, "http://dashboard.test").text();
    expect(page.indexOf("alert(")).toBeLessThan(page.indexOf("First"));
    expect(page).not.toContain("<script>");
    expect(page).toContain(`href="/mailbox/${first.id}"`);
    expect(page).toContain('<html lang="en">');
  });

  it("says when there are none", async () => {
    expect(await mailboxList([], "http://dashboard.test").text()).toContain("No emails yet");
  });

  it("shows one email: its recipient, links, sandboxed HTML and text", async () => {
    const response = mailboxMail(first);
    const page = await response.text();
    expect(page).toContain("a@example.test");
    expect(page).toContain('<a href="http://dashboard.test/confirm?a=1&amp;b=2">');
    expect(page).toMatch(/<iframe title="[^"]+" srcdoc="[^"]+"\s+sandbox="(?!.*allow-scripts)/);
    expect(page).toContain("<pre>Hello &amp; welcome");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
  });

  it("answers 404 for an email that does not exist", () => {
    expect(mailboxMail(undefined).status).toBe(404);
  });
});
