/** What the tools of the memory server share: its tables, whose rows they are, and the time of day. */
import { LOCAL_PRINCIPAL } from '../../model/principal.ts';
import type { Database } from '../../store/store.ts';
import { type BuiltinParts, DEFAULT_NAMESPACE } from '../builtin.ts';
import { seedSections } from './context/seeding.ts';
import { MIGRATIONS, OWNER } from './migrations.ts';
import type { MemoryTables } from './tables.ts';

/** A project somebody is working on, as the guide mentions it. */
export interface ActiveProject {
  readonly name: string;
  readonly sources: number;
  readonly notes: number;
}

/** What a memory server may be given. */
export interface MemoryParts extends BuiltinParts {
  /** The projects to mention, where something keeps them; the latest first. */
  readonly activeProjects?: (() => Promise<readonly ActiveProject[]>) | undefined;
}

/** The open memory of one principal. */
export interface Memory extends Database<MemoryTables> {
  readonly principal: string;
  readonly namespace: string;
  readonly device: string | undefined;
  activeProjects(): Promise<readonly ActiveProject[]>;
  /** Now, as ISO 8601 text. */
  now(): string;
}

/** Opens the tables and makes sure that the protected sections are there. */
export async function openMemory(parts: MemoryParts): Promise<Memory> {
  const now = parts.now ?? (() => new Date());
  const memory: Memory = {
    ...(await parts.store.tables<MemoryTables>(OWNER, MIGRATIONS)),
    principal: parts.principal ?? LOCAL_PRINCIPAL.id,
    namespace: parts.namespace ?? DEFAULT_NAMESPACE,
    device: parts.device,
    activeProjects: parts.activeProjects ?? (async () => []),
    now: () => now().toISOString(),
  };
  await seedSections(memory);
  return memory;
}
