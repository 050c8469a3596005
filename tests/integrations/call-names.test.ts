import { expect, it } from "vitest";

import { nameStripeCall } from "~/integrations/stripe/stripe-call-name";
import { nameSupabaseCall } from "~/integrations/supabase/supabase-call-name";

const ID = "8f14e45f-ceea-467a-9575-3a1b2c4d5e6f";

it.each([
  ["POST", "/rest/v1/rpc/my_dashboard", "supabase rpc my_dashboard"],
  ["GET", `/rest/v1/places?id=eq.7&name=ilike.*sam*`, "supabase select places"],
  ["HEAD", "/rest/v1/places?select=id", "supabase count places"],
  ["POST", "/rest/v1/form_stash", "supabase insert form_stash"],
  ["PATCH", "/rest/v1/jobs?id=eq.7", "supabase update jobs"],
  ["DELETE", `/rest/v1/form_stash?id=in.(${ID})`, "supabase delete form_stash"],
  ["POST", "/auth/v1/token?grant_type=password", "supabase auth token"],
  ["PUT", "/auth/v1/user", "supabase auth user"],
  ["POST", `/auth/v1/factors/${ID}/verify`, "supabase auth factors verify"],
  ["POST", "/auth/v1/admin/generate_link", "supabase auth admin generate_link"],
])("%s %s is called %s", (method, path, name) => {
  expect(nameSupabaseCall(method, `https://project.supabase.example${path}`)).toBe(name);
});

it.each([
  ["POST", "/v1/checkout/sessions", "stripe checkout.sessions.create"],
  ["GET", "/v1/checkout/sessions/cs_test_a1", "stripe checkout.sessions.retrieve"],
  ["POST", "/v1/checkout/sessions/cs_test_a1/expire", "stripe checkout.sessions.expire"],
  ["POST", "/v1/customers/cus_1", "stripe customers.update"],
  ["GET", "/v1/customers?email=sam%40example.org", "stripe customers.list"],
  ["DELETE", "/v1/subscriptions/sub_1", "stripe subscriptions.delete"],
  ["GET", "/v1/coupons/first-month", "stripe coupons.retrieve"],
  ["POST", "/v1/billing_portal/sessions", "stripe billing_portal.sessions.create"],
])("%s %s is called %s", (method, path, name) => {
  expect(nameStripeCall(method, `https://api.stripe.com${path}`)).toBe(name);
});
