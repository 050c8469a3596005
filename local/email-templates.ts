import { readFile } from "node:fs/promises";

import { escapeHtml } from "./html";
import type { EmailKind, SupabaseConfig } from "./supabase-config";

/** The values a template may name, as `{{ .TokenHash }}`: those of the hosted auth service. */
export interface TemplateValues {
  SiteURL: string;
  Email: string;
  NewEmail: string;
  Token: string;
  TokenHash: string;
  RedirectTo: string;
}

/** Makes an e-mail of one kind for those few that the stand-in's own auth service does not send. */
export async function renderEmail(
  config: SupabaseConfig,
  kind: EmailKind,
  values: TemplateValues,
): Promise<{ subject: string; html: string }> {
  const template = config.templates[kind];
  if (!template) {
    throw new Error(
      `supabase/config.toml names no template for "${kind}" e-mails: ` +
        `set subject and content_path under [auth.email.template.${kind}].`,
    );
  }
  const html = await readFile(template.path, "utf8");
  return {
    subject: fill(template.subject, values, (value) => value),
    html: fill(html, values, escapeHtml),
  };
}

function fill(text: string, values: TemplateValues, encode: (value: string) => string): string {
  return text.replace(/\{\{\s*\.(\w+)\s*\}\}/g, (whole, name: string) =>
    name in values ? encode(values[name as keyof TemplateValues]) : whole,
  );
}
