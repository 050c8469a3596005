import { isTooManyRequests } from "~/http/errors.server";
import { readField } from "~/http/form.server";
import { enforceRateLimit } from "~/http/rate-limit.server";
import { postOnlyLoader, routeAction, say, sayOfAnother } from "~/http/route.server";
import { DataError } from "~/integrations/supabase/data.server";
import { explainDraftRefusal, saveTypedForm } from "~/modules/drafts/form-drafts.server";

/** Script waits three seconds before each, so that no one who types reaches it in one window. */
const PER_USER = { name: "draft", max: 400, windowSeconds: 15 * 60 };

export const loader = postOnlyLoader("It only accepts drafts of forms.");

/**
 * Stores what is in a form as a draft while someone types. Only script sends this, again and again, so the form is
 * not stashed when the session has ended: the form itself is, once it is submitted.
 */
export const action = routeAction(
  { access: "signed in", stash: false },
  async ({ form, db, session, url }) => {
    try {
      await enforceRateLimit(PER_USER, session.user.id);
      await saveTypedForm(db, form, {
        page: url.searchParams.get("form"),
        id: readField(form, "submission_id"),
      });
    } catch (error) {
      if (isTooManyRequests(error))
        return say(`We couldn’t save a draft. ${error.message}`, error.status, error.headers);
      // The id is that of another account's draft.
      if (error instanceof DataError && error.failure === "denied") return sayOfAnother();
      const sentence = explainDraftRefusal(error);
      if (sentence === null) throw error;
      return say(sentence, 400);
    }
    return new Response(null, { status: 204 });
  },
);
