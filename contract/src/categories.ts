import Type from 'typebox'

/** The 28 category ids. The English name is the id; the label equals it until there are translations. */
export const CATEGORIES = [
  'AI Agents',
  'AI Tools',
  'Analytics & Data',
  'Art & Illustration',
  'Audio & Music',
  'Books & Writing',
  'Business, Finance & Legal',
  'Communication',
  'Communities & Nonprofits',
  'Customer Support',
  'Design',
  'Developer Tools',
  'E-commerce & Shopping',
  'Education & Courses',
  'Events',
  'Food & Drink',
  'Games',
  'Health & Fitness',
  'Hiring & Careers',
  'Marketing & SEO',
  'News & Newsletters',
  'Personal Profiles',
  'Photo & Video',
  'Productivity',
  'Real Estate',
  'Security & Privacy',
  'Social Media',
  'Travel & Local',
] as const

export type Category = (typeof CATEGORIES)[number]

/** A category as a request names it. */
export const CategoryId = Type.Enum([...CATEGORIES], {
  title: 'Category',
  type: 'string',
  description: 'English category ID from the capabilities operation.',
})
