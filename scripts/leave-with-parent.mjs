// scripts/start.mjs loads this into the app's process. When the parent process has ended, for any
// reason, the app answers the requests it has accepted and exits.
if (process.channel) {
  process.channel.unref();
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
}
