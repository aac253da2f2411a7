/** Reading how the person wants to be served. */
import * as z from 'zod';
import { defineTool, READS } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import { toGuide } from '../context/guide.ts';
import { listSections } from '../context/sections.ts';
import { isProtected } from '../context/seeds.ts';
import type { Memory } from '../context.ts';
import { deviceId } from '../fields.ts';

/** The whole context as one document. */
export const getContext = defineTool({
  name: 'get_context',
  title: 'Get the context',
  description: 'Read how to behave here, and what is known',
  input: z.object({
    include_dynamic: z.boolean().default(true).describe('with what is known now'),
    platform: z
      .string()
      .max(50)
      .default('generic')
      .describe('claude, chatgpt, gemini, grok, cursor, windsurf, cline'),
    device_id: deviceId(),
  }),
  output: z.object({ document: z.string() }),
  annotations: READS,
  async run({ include_dynamic, platform, device_id }, memory: Memory) {
    const options = { platform: platform.toLowerCase(), device: device_id, withMemories: include_dynamic };
    return { document: await toGuide(memory, options) };
  },
  toText: ({ document }) => document,
});

/** The sections, without their text. */
export const listContextSections = defineTool({
  name: 'list_context_sections',
  title: 'List context sections',
  description: 'List the sections of the context',
  input: z.object({ device_id: deviceId().describe('also those of this device') }),
  output: z.object({
    sections: z.array(
      z.object({
        section_key: z.string(),
        section_title: z.string(),
        sort_order: z.int(),
        enabled: z.boolean(),
        protected: z.boolean(),
        device_id: z.string().optional(),
        updated_at: z.string(),
      }),
    ),
  }),
  annotations: READS,
  async run({ device_id }, memory: Memory) {
    const sections = await listSections(memory, device_id);
    return {
      sections: sections.map(({ key, title, sortOrder, enabled, device, updatedAt }) => ({
        section_key: key,
        section_title: title,
        sort_order: sortOrder,
        enabled,
        protected: isProtected(key),
        ...(device === undefined ? {} : { device_id: device }),
        updated_at: updatedAt,
      })),
    };
  },
  toText({ sections }) {
    const lines = sections.map((section) => {
      const marks = [
        section.protected ? ' [protected]' : '',
        section.device_id === undefined ? '' : ` [device ${section.device_id}]`,
        section.enabled ? '' : ' [off]',
      ];
      return `${section.sort_order} ${section.section_key}${marks.join('')}: ${section.section_title}`;
    });
    return `${sections.length} sections. ${fence(lines.join('\n'))}`;
  },
});
