/**
 * Keeps the process alive when nothing reads its output any more: what it would print is lost then, but
 * no request is. (pino's own stream does the same.)
 */
export function surviveBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
}
