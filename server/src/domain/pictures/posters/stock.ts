import type { Category } from '@placard/contract'

/**
 * A group of categories, with the paper and ink of its placards. Colour-blind readers can distinguish the groups, too.
 */
export interface Stock {
  /** Its name in the style sheet. */
  id: string
  name: string
  paper: string
  ink: string
  categories: readonly Category[]
}

/** Colours are decoration: the category is always named next to them. The style sheet repeats them. */
export const STOCKS = [
  { id: 'ai', name: 'AI', paper: '#8fd3c2', ink: '#0a3a33', categories: ['AI Agents', 'AI Tools'] },
  {
    id: 'code',
    name: 'Code and data',
    paper: '#a9c4f2',
    ink: '#12275a',
    categories: ['Developer Tools', 'Analytics & Data', 'Security & Privacy'],
  },
  {
    id: 'work',
    name: 'Work and money',
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
  {
    id: 'design',
    name: 'Design and pictures',
    paper: '#f6a8b8',
    ink: '#5a0f2b',
    categories: ['Design', 'Art & Illustration', 'Photo & Video'],
  },
  {
    id: 'words',
    name: 'Words and learning',
    paper: '#efe3a0',
    ink: '#423a06',
    categories: ['Books & Writing', 'News & Newsletters', 'Education & Courses'],
  },
  {
    id: 'people',
    name: 'People',
    paper: '#f7ae85',
    ink: '#561f06',
    categories: ['Communication', 'Communities & Nonprofits', 'Social Media', 'Personal Profiles', 'Events'],
  },
  {
    id: 'play',
    name: 'Play and sound',
    paper: '#c9b4ee',
    ink: '#2f1860',
    categories: ['Games', 'Audio & Music'],
  },
  {
    id: 'home',
    name: 'Home and away',
    paper: '#b5d68b',
    ink: '#1f3b0c',
    categories: ['Food & Drink', 'Health & Fitness', 'E-commerce & Shopping', 'Real Estate', 'Travel & Local'],
  },
] as const satisfies readonly Stock[]

const PLAIN: Stock = { id: 'work', name: '', paper: '#d8d0be', ink: '#2c2a24', categories: [] }

/** The stock of a category; plain paper for anything else. */
export const stockOf = (category: string): Stock =>
  STOCKS.find(({ categories }) => (categories as readonly string[]).includes(category)) ?? PLAIN

/** The CSS class for anything printed on a category's stock. */
export const stockClass = (category: string): string => `s-${stockOf(category).id}`
