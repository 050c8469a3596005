/** The built app in processes of its own, as behind a load balancer: each has a port, all one URL. */
import { spawn } from "node:child_process";
import { request as send } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { freePort } from "../tests/support/free-port";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface AppRequest {
  method?: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

interface AppResponse {
  status: number;
  location: string | null;
  cookies: string[];
  body: string;
}

export interface BuiltApp {
  /** Sends a request as the load balancer does: with the host of the app's own URL. */
  ask(request: AppRequest): Promise<AppResponse>;
  stop(): void;
}

/** Starts one instance. `appUrl` is the URL of all of them. @throws when it does not start */
export async function startBuiltApp(
  appUrl: string,
  env: Record<string, string>,
): Promise<BuiltApp> {
  const port = await freePort();
  const app = spawn(
    process.execPath,
    ["node_modules/@remix-run/serve/dist/cli.js", "build/server/index.js"],
    {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, ...env, NODE_ENV: "production", PORT: String(port), APP_URL: appUrl },
    },
  );
  const stop = (): void => void app.kill();
  process.once("exit", stop);
  const { host } = new URL(appUrl);

  const ask = ({ method = "GET", path, headers, body }: AppRequest): Promise<AppResponse> =>
    new Promise((resolve, reject) => {
      const outgoing = send({
        host: "127.0.0.1",
        port,
        method,
        path,
        agent: false,
        headers: {
          host,
          ...headers,
          ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
        },
      });
      outgoing.on("error", reject).on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            location: response.headers.location ?? null,
            cookies: response.headers["set-cookie"] ?? [],
            body: text,
          }),
        );
      });
      outgoing.end(body);
    });

  for (let tries = 0; tries < 300; tries += 1) {
    const answer = await ask({ path: "/healthz" }).catch(() => null);
    if (answer?.status === 200) return { ask, stop };
    if (app.exitCode !== null) break;
    await sleep(100);
  }
  stop();
  throw new Error("The app did not start: is it built (npm run build)?");
}
