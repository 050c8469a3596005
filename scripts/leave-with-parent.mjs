// Loaded into the app's process by scripts/start.mjs: when the starting process is gone, however it
// went, the app answers what it has accepted and goes too.
if (process.channel) {
  process.channel.unref();
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
}
