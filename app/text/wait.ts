/** How long to wait, rounded up: "a minute", "42 minutes", "3 hours", "2 days". */
export function formatWait(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (minutes <= 1) return "a minute";
  if (minutes < 90) return `${minutes} minutes`;
  const hours = Math.ceil(minutes / 60);
  return hours < 36 ? `${hours} hours` : `${Math.ceil(hours / 24)} days`;
}
