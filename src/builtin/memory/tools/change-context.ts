/** Changing how the person wants to be served. */
import * as z from 'zod';
import { ADDS, defineTool, REPLACES } from '../../builtin.ts';
import { said } from '../../said.ts';
import { addSection, deleteSection, updateSection } from '../context/sections.ts';
import type { Memory } from '../context.ts';
import { deviceId, longText, saidLine, saidText } from '../fields.ts';

const sectionKey = () => said(100);
const OUTPUT = z.object({ section_key: z.string(), device_id: z.string().optional() });

type Changed = z.input<typeof OUTPUT>;

function toChanged(section_key: string, device_id: string | undefined): Changed {
  return { section_key, ...(device_id === undefined ? {} : { device_id }) };
}

function toText(done: string, { section_key, device_id }: Changed): string {
  const where = device_id === undefined ? 'on every device without its own' : 'on that device';
  return `${done} the section ${JSON.stringify(section_key)}; it counts ${where} from the next conversation on.`;
}

/** Changes a section, protected or not. */
export const updateContextSection = defineTool({
  name: 'update_context_section',
  title: 'Update a context section',
  description: 'Change a section; what is not given stays',
  input: z.object({
    section_key: sectionKey(),
    content: longText().optional(),
    section_title: saidLine().optional(),
    enabled: z.boolean().optional(),
    sort_order: z.int().optional(),
    device_id: deviceId(),
  }),
  output: OUTPUT,
  annotations: REPLACES,
  async run({ section_key, device_id, ...change }, memory: Memory) {
    await updateSection(memory, { key: section_key, device: device_id }, change);
    return toChanged(section_key, device_id);
  },
  toText: (changed) => toText('Updated', changed),
});

/** Adds a section, or one that overrides another on a device. */
export const addContextSection = defineTool({
  name: 'add_context_section',
  title: 'Add a context section',
  description: 'Add a section, or override one on a device',
  input: z.object({
    section_key: sectionKey().refine((key) => /^[a-z][a-z0-9_-]*$/.test(key), {
      error: 'has to begin with a small letter and hold only small letters, digits, _ and -',
    }),
    section_title: saidLine(),
    content: saidText(),
    sort_order: z.int().default(100),
    device_id: deviceId(),
  }),
  output: OUTPUT,
  annotations: ADDS,
  async run({ section_key, section_title, content, sort_order, device_id }, memory: Memory) {
    const section = { title: section_title, content, sortOrder: sort_order };
    await addSection(memory, { key: section_key, device: device_id }, section);
    return toChanged(section_key, device_id);
  },
  toText: (changed) => toText('Added', changed),
});

/** Removes a section that is not protected, or an override. */
export const deleteContextSection = defineTool({
  name: 'delete_context_section',
  title: 'Delete a context section',
  description: 'Remove a section, or the override of a device',
  input: z.object({ section_key: sectionKey(), device_id: deviceId() }),
  output: OUTPUT,
  annotations: REPLACES,
  async run({ section_key, device_id }, memory: Memory) {
    await deleteSection(memory, { key: section_key, device: device_id });
    return toChanged(section_key, device_id);
  },
  toText: ({ section_key }) => `Deleted the section ${JSON.stringify(section_key)}.`,
});
