/**
 * A hosted project runs migrations as a role that is no superuser, owns neither the schema auth nor its
 * tables, and has the grants that are made here. Every migration must apply there, and lead to what
 * supabase/schemas defines.
 */
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";
import connect from "postgres";

import { openPostgres } from "../../local/engine-postgres";
import { openAuthSchema, prepareRoles } from "../../local/foundation";
import { makeKeys } from "../../local/keys.mjs";
import { Mailbox } from "../../local/mailbox";
import { readMigrations } from "../../local/migrations";
import { projectFolder } from "../../local/project-folder";
import { makeStandIn } from "../../local/stand-in";
import { readSupabaseConfig } from "../../local/supabase-config";
import { type CatalogObject, compareCatalogs, readCatalog } from "../../scripts/schema/catalog";
import { installedPostgres15, startPostgres } from "../support/postgres";

const OWNER = "project_owner";

/** What the platform grants, by its own role, to the role that runs migrations. */
const GRANTS = `
  create role ${OWNER} login nosuperuser createdb createrole bypassrls;
  create role platform_auth nologin noinherit;
  grant anon, authenticated, service_role to ${OWNER};
  grant authenticator to ${OWNER} with admin option;
  grant set on parameter "pgrst.db_pre_request" to ${OWNER};
  do $$ begin
    execute format('grant create, connect on database %I to ${OWNER}', current_database());
  end $$;
  alter schema public owner to ${OWNER};
  grant usage on schema extensions to ${OWNER};
  grant usage on schema auth to ${OWNER};
  grant select, insert, update, delete, references, trigger on all tables in schema auth to ${OWNER};
  do $$ declare one record; begin
    for one in select oid::regclass as name from pg_class where relnamespace = 'auth'::regnamespace and relkind = 'r' loop
      execute format('alter table %s owner to platform_auth', one.name);
    end loop;
  end $$;
  alter schema auth owner to platform_auth;
  alter default privileges for role ${OWNER} in schema public grant all on tables to anon, authenticated, service_role;
  alter default privileges for role ${OWNER} in schema public grant all on sequences to anon, authenticated, service_role;
  alter default privileges for role ${OWNER} in schema public grant all on functions to anon, authenticated, service_role;`;

describe.each([17, ...(installedPostgres15() ? [15] : [])] as (15 | 17)[])(
  "a hosted project on Postgres %s",
  async (version) => {
    const postgres = await startPostgres({ version, inMemory: true });
    afterAll(() => postgres.stop());

    /** A new project, and a connection with the rights of its owner. */
    async function createProject(name: string) {
      const url = await postgres.createDatabase({ name });
      const engine = await openPostgres({ url });
      await prepareRoles(engine);
      const standIn = makeStandIn(engine, {
        config: await readSupabaseConfig(projectFolder),
        keys: makeKeys(),
        mailbox: new Mailbox(),
        siteUrl: "http://localhost",
      });
      await standIn.ensureSystemSchema();
      await openAuthSchema(engine);
      const exists = await engine.query("select from pg_roles where rolname = $1", [OWNER]);
      await engine.script(exists.length > 0 ? GRANTS.replace(/create role [^;]*;/g, "") : GRANTS);
      const owner = connect(url.replace("postgres@", `${OWNER}@`), { max: 1, onnotice: () => {} });
      return {
        engine,
        owner,
        async close() {
          await owner.end();
          await engine.close();
        },
      };
    }

    it("runs every migration, which leads to the schema of supabase/schemas", async () => {
      const [migrated, defined] = [await createProject("migrated"), await createProject("defined")];
      const [{ superuser }] = (await migrated.owner`
        select rolsuper as superuser from pg_roles where rolname = current_user`) as [
        { superuser: boolean },
      ];
      expect(superuser).toBe(false);

      const catalogs: CatalogObject[][] = [];
      for (const [folder, project] of [
        ["migrations", migrated],
        ["schemas", defined],
      ] as const) {
        // Settings of roles are the whole server's.
        await project.engine.script("alter role authenticator reset all");
        for (const { file, sql } of await readMigrations(join(projectFolder, "supabase", folder))) {
          await project.owner
            .begin((db) => db.unsafe(sql))
            .catch((error: Error) => {
              throw new Error(`${folder}/${file}: ${error.message}`);
            });
        }
        catalogs.push(await readCatalog(project.engine));
      }
      const differences = compareCatalogs(catalogs[0]!, catalogs[1]!);
      expect(differences.map(({ kind, name }) => `${kind} ${name}`)).toEqual([]);
      await Promise.all([migrated.close(), defined.close()]);
    });
  },
);
