/**
 * A stand-in for Stripe in its own process, which a test kills: `node --import tsx
 * process.ts <file> <key>`.
 */
import { listenOnLoopback } from "../../local/listener";
import { LocalStripe } from "../../local/stripe/local-stripe";

const [file = "", secretKey = ""] = process.argv.slice(2);
const listener = await listenOnLoopback(
  0,
  async (request) => (await stripe.fetch(request)) ?? new Response(null, { status: 404 }),
);
const stripe = new LocalStripe({ origin: listener.url, secretKey, file, ticking: true });
process.stdout.write(`${listener.url}\n`);
