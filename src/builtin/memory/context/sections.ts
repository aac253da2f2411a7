/** Reads and writes context sections, and says which of them count on a device. */
import type { ExpressionBuilder } from 'kysely';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { didYouMean } from '../../../lib/nearest.ts';
import type { Memory } from '../context.ts';
import type { MemoryTables } from '../tables.ts';
import { isProtected } from './seeds.ts';

/** One section, for every device or for one. */
export interface Section {
  readonly key: string;
  readonly title: string;
  readonly content: string;
  readonly sortOrder: number;
  readonly enabled: boolean;
  readonly device: string | undefined;
  readonly updatedAt: string;
}

/** Which row is meant: the one for all devices, or the one of a device. */
export interface SectionRef {
  readonly key: string;
  readonly device?: string | undefined;
}

/** What can be changed in a section. */
export interface SectionChange {
  readonly section_title?: string | undefined;
  readonly content?: string | undefined;
  readonly sort_order?: number | undefined;
  readonly enabled?: boolean | undefined;
}

type Tables = Pick<Memory, 'db' | 'principal'>;

/** Every row of a principal that is for all devices or for the one named, in order. */
export async function listSections({ db, principal }: Tables, device?: string): Promise<readonly Section[]> {
  const rows = await db
    .selectFrom('context_sections')
    .selectAll()
    .where('principal', '=', principal)
    .where((where) =>
      where.or([
        where('device_id', 'is', null),
        ...(device === undefined ? [] : [where('device_id', '=', device)]),
      ]),
    )
    .orderBy('sort_order')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    key: row.section_key,
    title: row.section_title,
    content: row.content,
    sortOrder: row.sort_order,
    enabled: row.enabled !== 0,
    device: row.device_id ?? undefined,
    updatedAt: row.updated_at,
  }));
}

/** What counts on a device: its own sections stand in for those of the same key, and further ones come last. */
export function mergeSections(sections: readonly Section[]): readonly Section[] {
  const own = new Map(sections.filter(({ device }) => device !== undefined).map((one) => [one.key, one]));
  const shared = sections.filter(({ device }) => device === undefined);
  const known = new Set(shared.map(({ key }) => key));
  const merged = [
    ...shared.map((section) => own.get(section.key) ?? section),
    ...[...own.values()].filter(({ key }) => !known.has(key)),
  ];
  return merged.filter(({ enabled }) => enabled);
}

/** The enabled sections that count on a device. */
export async function readSections(memory: Tables, device?: string): Promise<readonly Section[]> {
  return mergeSections(await listSections(memory, device));
}

/** Adds a section; refuses one that is there already, or that only a device may have twice. */
export async function addSection(
  memory: Memory,
  ref: SectionRef,
  { title, content, sortOrder }: Pick<Section, 'title' | 'content' | 'sortOrder'>,
): Promise<void> {
  if (isProtected(ref.key) && ref.device === undefined) {
    const message = `the section "${ref.key}" is protected and already there; change it with update_context_section, or give a device_id to override it on one device`;
    throw new GatewayError('INVALID_PARAMS', message);
  }
  const now = memory.now();
  await memory.db.transaction().execute(async (transaction) => {
    const taken = await transaction
      .selectFrom('context_sections')
      .select('id')
      .where(isMeant(memory, ref))
      .executeTakeFirst();
    if (taken) {
      const message = `the section ${toText(ref)} is already there; change it with update_context_section`;
      throw new GatewayError('INVALID_PARAMS', message);
    }
    await transaction
      .insertInto('context_sections')
      .values({
        principal: memory.principal,
        section_key: ref.key,
        section_title: title,
        content,
        sort_order: sortOrder,
        enabled: 1,
        device_id: ref.device ?? null,
        created_at: now,
        updated_at: now,
      })
      .execute();
  });
}

/** Changes a section. */
export async function updateSection(memory: Memory, ref: SectionRef, change: SectionChange): Promise<void> {
  const given = Object.entries({
    ...change,
    enabled: change.enabled === undefined ? undefined : Number(change.enabled),
  });
  const set = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  if (Object.keys(set).length === 0) {
    const message = `nothing to update in ${toText(ref)}: give content, section_title, sort_order or enabled`;
    throw new GatewayError('INVALID_PARAMS', message);
  }
  const { numUpdatedRows } = await memory.db
    .updateTable('context_sections')
    .set({ ...set, updated_at: memory.now() })
    .where(isMeant(memory, ref))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw await toUnknownSection(memory, ref);
}

/** Removes a section; protected ones can only be switched off, though their overrides can go. */
export async function deleteSection(memory: Memory, ref: SectionRef): Promise<void> {
  if (isProtected(ref.key) && ref.device === undefined) {
    const message = `the section "${ref.key}" is protected; switch it off with update_context_section and enabled: false`;
    throw new GatewayError('INVALID_PARAMS', message);
  }
  const { numDeletedRows } = await memory.db
    .deleteFrom('context_sections')
    .where(isMeant(memory, ref))
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw await toUnknownSection(memory, ref);
}

function isMeant({ principal }: Pick<Memory, 'principal'>, { key, device }: SectionRef) {
  return ({ eb, and }: ExpressionBuilder<MemoryTables, 'context_sections'>) =>
    and([
      eb('principal', '=', principal),
      eb('section_key', '=', key),
      device === undefined ? eb('device_id', 'is', null) : eb('device_id', '=', device),
    ]);
}

async function toUnknownSection(memory: Memory, ref: SectionRef): Promise<GatewayError> {
  const known = (await listSections(memory, ref.device)).map(({ key }) => key);
  const way = known.includes(ref.key)
    ? '; make one with add_context_section'
    : `${didYouMean(ref.key, known)}; list_context_sections shows them`;
  return new GatewayError('INVALID_PARAMS', `there is no section ${toText(ref)}${way}`);
}

function toText({ key, device }: SectionRef): string {
  return device === undefined ? `"${key}"` : `"${key}" of the device "${device}"`;
}
