/**
 * The way out for someone who must not be seen here: it ends the session and opens a harmless page,
 * in one response (routes/leave.ts). A plain form without a token: it works without script, on error
 * pages, while Supabase does not answer, and on a page that has been open for days.
 */
export function QuickExit() {
  return (
    // Its name makes it a landmark of its own, since it is outside of the others.
    <form method="post" action="/leave" aria-label="Exit">
      <button type="submit" className="quick-exit">
        Leave quickly
      </button>
    </form>
  );
}
