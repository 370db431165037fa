import { hash } from 'node:crypto'
import type { Links } from '../http/links.ts'
import { PATHS, SKILL_NAME } from './facts.ts'

const description = ({ site }: Links): string =>
  `List a website on ${site.name}, get its receipt again, or ask what a paid place costs. Use it when the user asks for one of these.`

/** What agents keep as a skill: the guide stays where it is, so that it never gets old. */
export const skillText = (links: Links): string => `---
name: ${SKILL_NAME}
description: ${JSON.stringify(description(links))}
---

Read ${links.agentGuide} and follow it. Never publish, and never contest a decision, without the user’s explicit yes.
`

/** The index of skills (Agent Skills Discovery 0.2.0). */
export const skillIndex = (links: Links) => ({
  $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
  skills: [
    {
      name: SKILL_NAME,
      type: 'skill-md',
      description: description(links),
      url: PATHS.skill,
      digest: `sha256:${hash('sha256', skillText(links), 'hex')}`,
    },
  ],
})
