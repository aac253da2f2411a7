/** What must not be told: every value that is kept sealed, to be left out of texts that others wrote. */
import type { House } from './house.ts';
import { scrub } from './secret-values.ts';

/** Takes secrets out of a text. */
export type Hide = (text: string) => string;

/** Makes what hides kept values; those of a store that does not open are not known to anybody here. */
export async function readHide(house: Pick<House, 'secrets'>): Promise<Hide> {
  const values = await readValues(house);
  return (text) => scrub(text, values);
}

async function readValues(house: Pick<House, 'secrets'>): Promise<readonly string[]> {
  try {
    return [...(await (await house.secrets()).all()).values()];
  } catch {
    return [];
  }
}
