import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** AES-256-GCM: what is encrypted can be neither read nor changed without the key. */
const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts data, differently each time.
 * @param key 32 bytes
 * @param context what the data belongs to: it can only be decrypted with the same context
 */
export function encrypt(data: Buffer | string, key: Buffer, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(context));
  const text = Buffer.concat([
    typeof data === "string" ? cipher.update(data, "utf8") : cipher.update(data),
    cipher.final(),
  ]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]);
}

/** The data; null when it was encrypted with another key or for another context, or was changed. */
export function decrypt(encrypted: Buffer, key: Buffer, context: string): Buffer | null {
  try {
    const decipher = createDecipheriv(CIPHER, key, encrypted.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(Buffer.from(context))
      .setAuthTag(encrypted.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = encrypted.subarray(IV_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(text), decipher.final()]);
  } catch {
    return null;
  }
}
