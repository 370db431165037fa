import type { Category } from '@placard/contract'

/** Paper and ink of a placard. Their contrast is high enough for any eye, and they may be swapped. */
export interface Stock {
  paper: string
  ink: string
}

/** The stock of each group of categories. Decoration only: the category is always named beside it. */
const GROUPS: readonly (Stock & { categories: readonly Category[] })[] = [
  { paper: '#8fd3c2', ink: '#0a3a33', categories: ['AI Agents', 'AI Tools'] },
  {
    paper: '#a9c4f2',
    ink: '#12275a',
    categories: ['Developer Tools', 'Analytics & Data', 'Security & Privacy'],
  },
  {
    paper: '#d8d0be',
    ink: '#2c2a24',
    categories: [
      'Business, Finance & Legal',
      'Productivity',
      'Customer Support',
      'Hiring & Careers',
      'Marketing & SEO',
    ],
  },
  { paper: '#f6a8b8', ink: '#5a0f2b', categories: ['Design', 'Art & Illustration', 'Photo & Video'] },
  {
    paper: '#efe3a0',
    ink: '#423a06',
    categories: ['Books & Writing', 'News & Newsletters', 'Education & Courses'],
  },
  {
    paper: '#f7ae85',
    ink: '#561f06',
    categories: ['Communication', 'Communities & Nonprofits', 'Social Media', 'Personal Profiles', 'Events'],
  },
  { paper: '#c9b4ee', ink: '#2f1860', categories: ['Games', 'Audio & Music'] },
  {
    paper: '#b5d68b',
    ink: '#1f3b0c',
    categories: [
      'Food & Drink',
      'Health & Fitness',
      'E-commerce & Shopping',
      'Real Estate',
      'Travel & Local',
    ],
  },
]

const PLAIN: Stock = { paper: '#d8d0be', ink: '#2c2a24' }

/** The stock of a category, or plain paper if there is no such category. */
export function stockOf(category: string): Stock {
  const group = GROUPS.find(({ categories }) => (categories as readonly string[]).includes(category))
  return group ? { paper: group.paper, ink: group.ink } : PLAIN
}
