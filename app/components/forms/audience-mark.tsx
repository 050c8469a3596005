import { Icon } from "~/components/ui/icon";

/** Who sees a field: everyone, or only the team and the people who manage what it belongs to. */
export type Audience = "public" | "private";

/** Who sees a field, as a small mark beside its label, or beside the heading of its section. */
export function AudienceMark({ id, audience }: { id: string; audience: Audience }) {
  return (
    <span id={id} className={audience === "public" ? "mark" : "mark badge badge-plain"}>
      {audience === "public" ? (
        <>
          <Icon name="eye" /> Public
        </>
      ) : (
        <>
          <Icon name="lock" /> Private
        </>
      )}
    </span>
  );
}
