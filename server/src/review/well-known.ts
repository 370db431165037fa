/**
 * Names that phishing pages borrow most, as their owners write them in a host name. A name under any suffix counts as its
 * owner's: names in use elsewhere are for courts, not for a reviewer. Nothing shorter than five letters: too many honest
 * words look like those.
 */
export const WELL_KNOWN: readonly string[] = `
adobe airbnb aliexpress alibaba allegro amazon americanexpress apple atlassian bankofamerica barclays battlenet binance
bitbucket blackrock bloomberg booking bradesco canva capitalone carrefour cashapp chase chatgpt citibank cloudflare
coinbase commerzbank correos craigslist creditagricole dailymotion deliveroo deutschebank deutschepost discord disney
docusign doordash dropbox duckduckgo duolingo etherscan ethereum eventbrite expedia facebook fidelity figma flickr
flipkart fortnite github gitlab godaddy gofundme google hetzner hotmail huawei hubspot icloud ikea imgur indeed
instagram intuit itau kakao kayak kickstarter klarna kraken kucoin ledger linkedin lloydsbank mailchimp mastercard
mediamarkt medium mercadolibre messenger metamask microsoft mozilla myspace natwest netflix nintendo notion nubank
nvidia office365 okta onedrive openai opensea oracle outlook patreon paypal paypay payoneer pinterest playstation
postbank protonmail qantas quora rakuten raiffeisen reddit revolut roblox robinhood salesforce samsung santander
sberbank shein shopee shopify signal skype slack snapchat sofort soundcloud sparkasse spotify squarespace
stackoverflow starbucks steamcommunity steampowered stripe substack swisscom target telegram tencent tesla tether
tiktok tinder tripadvisor trustpilot trustwallet tumblr twitch twitter ubereats ubisoft uniswap unicredit usbank
venmo verizon vimeo vodafone volksbank walmart wellsfargo westernunion whatsapp wikipedia wordpress xfinity yahoo
yandex youtube zalando zelle zendesk zoominfo`
  .split(/\s+/)
  .filter(name => name.length >= 5)

/** Those of them that are everyday words: an honest page may well be called so. Only a homograph borrows them. */
export const EVERYDAY: ReadonlySet<string> = new Set(
  `allegro booking chase discord fidelity indeed kayak ledger medium messenger notion oracle outlook robinhood
  signal slack sofort stripe target tether twitch`.split(/\s+/),
)
