import type { Sql } from "postgres";

/** One way to weaken the schema: a statement that opens what one of its rules closes. */
export interface Mutation {
  /** What is weakened, for the report: `policy places "read own": (owner = …) → true`. */
  name: string;
  /** One statement. */
  sql: string;
  /** Names of tables and functions; a test that mentions none of them can't notice. */
  about: string[];
  /** The function that is weakened, with its schema: a test that doesn't call it can't notice. */
  runs?: string;
  /** Its name, and those of the functions through which a test may reach it. */
  reachedBy?: string[];
  /** Whether it grants a privilege, which docs/security.md would show if it is complete. */
  isGrant?: boolean;
}

const SCHEMAS = "in ('public'::regnamespace, 'private'::regnamespace)";

/** Every way to weaken a policy, a guard, a grant, or a check of a function, one rule at a time. */
export async function listMutations(sql: Sql): Promise<Mutation[]> {
  return [
    ...(await weakenPolicies(sql)),
    ...(await removeGuards(sql)),
    ...(await weakenFunctions(sql)),
    ...(await widenGrants(sql)),
  ];
}

async function weakenPolicies(sql: Sql): Promise<Mutation[]> {
  const policies = await sql`
    select c.relname as name, p.polrelid::regclass::text as table, quote_ident(p.polname) as policy,
      pg_get_expr(p.polqual, p.polrelid) as using, pg_get_expr(p.polwithcheck, p.polrelid) as check
    from pg_policy p join pg_class c on c.oid = p.polrelid where c.relnamespace ${sql.unsafe(SCHEMAS)}
    order by 1, 3`;
  return policies.flatMap(({ name, table, policy, using, check }) =>
    // Where both say the same, weakening only one of them lets nothing more through.
    (using === check
      ? [{ clauses: ["using", "with check"], expression: using as string | null }]
      : [
          { clauses: ["using"], expression: using as string | null },
          { clauses: ["with check"], expression: check as string | null },
        ]
    ).flatMap(({ clauses, expression }) =>
      expression === null || expression === "true"
        ? []
        : weakerExpressions(String(expression)).map(({ from, expression: weaker }) => ({
            name: `policy ${table} ${policy}: ${from} → true`,
            sql: `alter policy ${policy} on ${table} ${clauses.map((clause) => `${clause} (${weaker})`).join(" ")}`,
            about: [String(name)],
          })),
    ),
  );
}

/** An expression with each part that AND joins, at any depth, replaced by true; and true itself. */
function weakerExpressions(expression: string): { from: string; expression: string }[] {
  const found = [{ from: expression, expression: "true" }];
  for (const [start, end] of conjuncts(expression)) {
    const from = expression.slice(start, end);
    if (from.trim() === expression.trim()) continue;
    found.push({ from, expression: `${expression.slice(0, start)}true${expression.slice(end)}` });
  }
  return found;
}

/** Where the operands of AND begin and end, in the form in which Postgres prints expressions. */
function conjuncts(expression: string): [number, number][] {
  const found: [number, number][] = [];
  // For each open parenthesis: where its operand began, and whether AND was seen in it.
  const open = [{ start: 0, operands: [] as [number, number][] }];
  const tokens = /'(?:[^']|'')*'|\(|\)| AND | WHERE | OR /g;
  for (let token = tokens.exec(expression); token; token = tokens.exec(expression)) {
    const level = open.at(-1)!;
    if (token[0] === "(") open.push({ start: tokens.lastIndex, operands: [] });
    else if (token[0] === " WHERE ") level.start = tokens.lastIndex;
    else if (token[0] === " AND ") {
      level.operands.push([level.start, token.index]);
      level.start = tokens.lastIndex;
    } else if (token[0] === ")") {
      if (level.operands.length > 0) found.push(...level.operands, [level.start, token.index]);
      open.pop();
    }
  }
  return found;
}

/** Without its guard, a table takes whatever its policies let through. */
async function removeGuards(sql: Sql): Promise<Mutation[]> {
  const guards = await sql`
    select c.relname as name, t.tgrelid::regclass::text as table, quote_ident(t.tgname) as trigger, p.proname as function,
      p.pronamespace::regnamespace || '.' || p.proname as qualified
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and p.pronamespace ${sql.unsafe(SCHEMAS)} and t.tgtype & 2 = 2
    order by 2, 3`;
  const tables = await sql`
    select c.relname as name, c.oid::regclass::text as table from pg_class c
    where c.relnamespace ${sql.unsafe(SCHEMAS)} and c.relrowsecurity order by 2`;
  return [
    ...guards.map(({ name, table, trigger, function: guard, qualified }) => ({
      name: `trigger ${table} ${trigger}: dropped`,
      sql: `drop trigger ${trigger} on ${table}`,
      about: [String(name), String(guard)],
      runs: String(qualified),
    })),
    ...tables.map(({ name, table }) => ({
      name: `row level security of ${table}: off`,
      sql: `alter table ${table} disable row level security`,
      about: [String(name)],
    })),
  ];
}

/** Checks in the text of a function, and what weakens each. `$1` and so on are groups. */
const CHECKS: [pattern: RegExp, weaker: string][] = [
  [/perform private\.require_admin\(\)/g, "null"],
  [/perform private\.refuse\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g, "null"],
  [/raise exception (?:[^;'$]|'(?:[^']|'')*')*/g, "null"],
  [/\bnot private\.is_admin\(\)/g, "false"],
  [/(?<!not )private\.is_admin\(\)/g, "true"],
  [/[\w.]+ = (?:\(select (?:private\.user_id\(\)|id from me)\)|private\.user_id\(\))/g, "true"],
  [
    /(?:lower\([\w.]+\)|[\w.]+) = (?:\(select private\.my_email\(\)\)|private\.my_email\(\))/g,
    "true",
  ],
  [
    /[\w.]+ = any \((?:\(select private\.managed_places\(\)\)(?:::bigint\[\])?|private\.managed_places\(\))\)/g,
    "true",
  ],
];

/** In guards only: a column that is set back, or filled in, whatever was sent. */
const GUARDED_COLUMNS: [pattern: RegExp, weaker: string][] = [
  [/\b(?:new|place|row)\.\w+ := (?:[^;'$]|'(?:[^']|'')*')*/g, "null"],
];

async function weakenFunctions(sql: Sql): Promise<Mutation[]> {
  const functions = await sql`
    select p.proname as name, p.pronamespace::regnamespace || '.' || p.proname as qualified,
      p.oid::regprocedure::text as signature, pg_get_functiondef(p.oid) as definition,
      p.prokind = 'p' as defines,
      p.prorettype = 'trigger'::regtype or p.proname like '%guard%' or p.proname like 'restore%'
        or p.proname = 'part_from_owner' as guard
    from pg_proc p where p.pronamespace ${sql.unsafe(SCHEMAS)} order by 2`;
  const tables = await sql`
    select case when c.relnamespace = 'auth'::regnamespace then 'auth.' else '' end || c.relname as name,
      concat_ws(' ',
        (select string_agg(pg_get_triggerdef(t.oid), ' ') from pg_trigger t where t.tgrelid = c.oid),
        (select string_agg(concat(pg_get_expr(p.polqual, c.oid), ' ', pg_get_expr(p.polwithcheck, c.oid)), ' ')
          from pg_policy p where p.polrelid = c.oid),
        (select string_agg(pg_get_constraintdef(k.oid), ' ') from pg_constraint k where k.conrelid = c.oid),
        case when c.relkind = 'v' then pg_get_viewdef(c.oid) end) as definition
    from pg_class c
    where c.relkind in ('r', 'v') and (c.relnamespace ${sql.unsafe(SCHEMAS)} or c.relnamespace = 'auth'::regnamespace)`;
  const callers = findCallers(
    [...functions, ...tables].map(({ name, definition }) => [String(name), String(definition)]),
  );
  const isFunction = new Set(functions.map(({ name }) => String(name)));
  return functions.flatMap(({ name, qualified, signature, definition, guard, defines }) => {
    const text = String(definition);
    // Procedures define the views that they are named after. No test calls them.
    const view = defines ? String(name).replace(/^define_/, "") : null;
    const body = text.indexOf("$function$");
    const nameOf = numberRepeated();
    return [...CHECKS, ...(guard ? GUARDED_COLUMNS : [])].flatMap(([pattern, weaker]) =>
      [...text.matchAll(pattern)]
        .filter(({ index }) => index > body)
        .map((match) => ({
          name: nameOf(String(signature), match[0], weaker),
          sql:
            text.slice(0, match.index) +
            weaker +
            text.slice(match.index + match[0].length) +
            (view === null ? "" : `;\ncall ${qualified}()`),
          ...(view === null
            ? {
                about: callers(String(name)),
                runs: String(qualified),
                reachedBy: callers(String(name)).filter((caller) => isFunction.has(caller)),
              }
            : { about: [view] }),
        })),
    );
  });
}

/**
 * The names through which a test may reach a function: its own, those of what calls it, directly or
 * not, and those of the tables and views whose triggers, policies, and definitions call it.
 * @param callers functions, tables, and views, with their definitions
 */
function findCallers(callers: [name: string, definition: string][]) {
  return (name: string): string[] => {
    const found = new Set([name]);
    // A set can grow while it is read, and its new members are read too.
    for (const called of found)
      for (const [caller, definition] of callers)
        if (new RegExp(`\\b${called}\\(`).test(definition)) found.add(caller);
    return [...found];
  };
}

/** Names what is weakened in a function by its text, which stays the same when other lines change. */
function numberRepeated() {
  const times = new Map<string, number>();
  return (signature: string, from: string, weaker: string): string => {
    const name = `function ${signature}: ${from.replace(/\s+/g, " ").slice(0, 120)} → ${weaker}`;
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return time === 1 ? name : `${name}, occurrence ${time}`;
  };
}

/** Every privilege that visitors and users do not have, granted. */
async function widenGrants(sql: Sql): Promise<Mutation[]> {
  const tables = await sql`
    select c.oid::regclass::text as table, r.role, p.privilege
    from pg_class c cross join unnest(array['anon', 'authenticated']) r (role)
    cross join unnest(array['select', 'insert', 'update', 'delete']) p (privilege)
    where c.relnamespace ${sql.unsafe(SCHEMAS)} and (c.relkind = 'r' or (c.relkind = 'v' and p.privilege = 'select'))
      and not has_table_privilege(r.role, c.oid, p.privilege)
    order by 1, 2, 3`;
  const functions = await sql`
    select p.oid::regprocedure::text as signature, r.role
    from pg_proc p cross join unnest(array['anon', 'authenticated']) r (role)
    where p.pronamespace ${sql.unsafe(SCHEMAS)} and p.prorettype <> 'trigger'::regtype and p.prokind = 'f'
      and (p.pronamespace = 'public'::regnamespace or p.prosecdef)
      and not has_function_privilege(r.role, p.oid, 'execute')
    order by 1, 2`;
  return [
    ...tables.map(({ table, role, privilege }) => ({
      name: `grant ${privilege} on ${table} to ${role}`,
      sql: `grant ${privilege} on ${table} to ${role}`,
      about: [],
      isGrant: true,
    })),
    ...functions.map(({ signature, role }) => ({
      name: `grant execute on ${signature} to ${role}`,
      sql: `grant execute on function ${signature} to ${role}`,
      about: [],
      isGrant: true,
    })),
  ];
}
