import { readField } from "~/http/form.server";
import { routeAction } from "~/http/route.server";
import { explainDraftRefusal, saveTypedForm } from "~/modules/drafts/form-drafts.server";

/**
 * Stores what is in a form as a draft while someone types. Only script sends this, again and again, so the form is
 * not stashed when the session has ended: the form itself is, once it is submitted.
 */
export const action = routeAction(
  { access: "signed in", stash: false },
  async ({ form, db, url }) => {
    try {
      await saveTypedForm(db, form, {
        page: url.searchParams.get("form"),
        id: readField(form, "submission_id"),
      });
    } catch (error) {
      const sentence = explainDraftRefusal(error);
      if (sentence === null) throw error;
      return new Response(sentence, {
        status: 400,
        headers: { "Content-Type": "text/plain; charset=utf-8" },
      });
    }
    return new Response(null, { status: 204 });
  },
);
