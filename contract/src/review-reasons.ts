/** Why a review refused a destination, and what the customer can do. */
export const REVIEW_REASONS = {
  not_public: 'The website cannot be reached on the public internet under this name.',
  not_found: 'The website does not show a page at this address. Check the address in a browser.',
  not_a_web_page: 'The address does not lead to an HTML page.',
  redirects_elsewhere: 'The address leads to another website. Submit the address it leads to.',
  too_large: 'The page is larger or more deeply nested than a review can read (1 MiB, 256 levels).',
  tls_invalid: 'The certificate of the website cannot be verified.',
  empty_page: 'The page shows nothing to list. Give it a title and some words.',
  parked_domain: 'The domain looks parked or for sale.',
  adult_content: 'The page is labelled or worded as adult content, which is not listed here.',
  blocklisted: 'The website is on a blocklist of this service.',
  malicious: 'The page looks like one that steals passwords or spreads malware.',
  policy: 'The page does not meet the rules of this service. They are at /rules.',
} as const

export type ReviewReason = keyof typeof REVIEW_REASONS
