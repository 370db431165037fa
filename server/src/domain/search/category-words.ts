import { CATEGORIES, type Category } from '@placard/contract'
import { runsOf } from './fold.ts'
import { stemOf } from './stems.ts'
import { alike } from './synonyms.ts'

/** What people look for in each category. The names of the categories count as well. */
const WORDS: Record<Category, string> = {
  'AI Agents': 'bot chatbot assistant automation autonomous copilot workflow langchain mcp',
  'AI Tools': 'gpt chatgpt llm model prompt machine neural generator summarize translate speech transcription',
  'Analytics & Data': 'statistics dashboard database spreadsheet chart metrics weather census dataset sql survey poll',
  'Art & Illustration':
    'painting drawing print sculpture gallery artist tattoo comic craft ceramics sketch poster knitting crochet embroidery origami calligraphy pottery quilt sewing woodworking stencil',
  'Audio & Music':
    'song band concert guitar piano violin podcast radio vinyl album sound singer dj karaoke drums saxophone flute orchestra opera choir headphones microphone',
  'Books & Writing': 'novel author poem poetry library reading bookshop comic manga literature diary writer',
  'Business, Finance & Legal':
    'tax bank bitcoin crypto blockchain wallet insurance loan mortgage lawyer attorney accounting invoice stock divorce cryptocurrency nft investment trading pension credit debt budget payroll notary patent trademark visa passport inheritance',
  Communication: 'chat email mail phone message messenger video call sms fax voice meeting slack',
  'Communities & Nonprofits':
    'volunteer charity donation club neighbour church parents environment animal rescue beekeeping politics dog cat puppy kitten parrot pet aquarium fish hamster funeral prayer bible astrology horoscope tarot scouts rabbit turtle snake spider bird horse cow pig sheep chicken adoption refugee',
  'Customer Support': 'helpdesk ticket complaint hotline faq service zendesk',
  Design: 'logo font typography color icon layout figma branding packaging interior architecture',
  'Developer Tools':
    'code programming software api git database hosting server kubernetes docker cloud linux debug test compiler vpn android ios java php python ruby javascript firewall router raspberry arduino',
  'E-commerce & Shopping':
    'shop store buy clothes dress shoes jewelry furniture toy gift fashion makeup cosmetics phone car bike auction mattress sofa lamp mower motorcycle scooter tractor washing machine fridge vacuum watch perfume handbag sneakers lipstick bicycle tyre coupon drone gun knife hardware carpet curtain pillow blanket bed wardrobe desk chair oven dishwasher toaster laptop tablet television headset charger battery bag suitcase umbrella coat jacket jeans shirt hat ring necklace diamond gold silver tools ladder drill paint',
  'Education & Courses':
    'school university lesson teacher language exam homework physics chemistry mathematics science kids tutorial driving licence scholarship kindergarten nursery tutor dictionary geography medicine piano',
  Events: 'concert festival wedding party conference ticket theatre museum exhibition meetup birthday',
  'Food & Drink':
    'recipe restaurant pizza bread cake wine beer coffee tea cooking vegan bakery cheese honey bees sushi burger steak chocolate barbecue sausage fish whisky cocktail pasta noodle salad icecream rice soup cheesecake curry sandwich bacon butter egg apple banana strawberry vodka gin rum champagne juice',
  Games:
    'game chess puzzle crossword card casino poker console rpg board quiz lottery toy sudoku backgammon bingo betting minecraft fortnite roulette jackpot',
  'Health & Fitness':
    'doctor dentist hospital medicine yoga gym running sleep diet therapy sport football tennis swimming skateboard diving pregnancy baby midwife pharmacy glasses hearing braces tooth psychologist massage sauna pool vaccine allergy diabetes cancer boxing golf cycling climbing surfing fishing hunting cricket basketball volleyball hockey racket weight hair hairdresser barber nail salon manicure surgery cardiologist dermatologist optician vitamin protein karate judo ballet dance rowing marathon',
  'Hiring & Careers': 'job work salary resume interview freelance recruiting internship career',
  'Marketing & SEO': 'advertising campaign keyword ranking newsletter brand social content backlink',
  'News & Newsletters': 'newspaper magazine journal politics weather press blog',
  'Personal Profiles': 'portfolio resume blog homepage freelancer photographer engineer artist',
  'Photo & Video':
    'camera film movie photography photographer cinema lens picture editing drone television wedding telescope binoculars photo printer',
  Productivity: 'calendar todo planner notes task timer focus habit organizer reminder',
  'Real Estate':
    'house apartment flat rent mortgage land property home plumber plumbing roof garden moving furniture kitchen bathroom heating carpenter electrician locksmith cleaning window solar panel garage elevator concrete brick wallpaper chimney pool mattress',
  'Security & Privacy': 'password encryption hacker virus vpn gdpr safety leak antivirus lock',
  'Social Media':
    'facebook instagram twitter mastodon friends dating followers profile network tinder tiktok influencer snapchat',
  'Travel & Local':
    'hotel flight train bus car ferry ship submarine helicopter hiking map city beach ski snowboard camping tourist taxi horse airport airline cruise safari zoo aquarium museum diving parking petrol caravan motel motorway motorbike helmet tram metro subway airplane rocket space bridge castle sauna',
}

/**
 * Returns the category that fits most of the folded words: by its name, by the words that people search for in it, or
 * by the meanings of the words.
 *
 * @returns undefined if none fits any of them
 */
export function fittingCategory(words: readonly string[]): Category | undefined {
  const scores = new Map<Category, number>()
  for (const word of words) {
    const own = categoriesOf(word)
    const meant = own.length > 0 ? own : alike(word).flatMap(categoriesOf)
    for (const category of new Set(meant)) scores.set(category, (scores.get(category) ?? 0) + 1)
  }
  return [...scores].sort(([, one], [, other]) => other - one)[0]?.[0]
}

/** Returns whether people search for a folded word, so that it is no typo. Category names don't count. */
export const isLookedFor = (word: string): boolean =>
  !isName(word) && [word, ...alike(word)].some(each => categoriesOf(each).length > 0)

const isName = (word: string) => runsOf(CATEGORIES.join(' ')).some(name => stemOf(name, 'en') === stemOf(word, 'en'))

let known: Map<string, Category[]> | undefined

const categoriesOf = (word: string): Category[] => {
  known ??= categoriesByStem()
  return known.get(stemOf(word, 'en')) ?? []
}

function categoriesByStem(): Map<string, Category[]> {
  const byStem = new Map<string, Category[]>()
  for (const category of CATEGORIES) {
    for (const stem of new Set(runsOf(`${category} ${WORDS[category]}`).map(word => stemOf(word, 'en')))) {
      byStem.set(stem, [...(byStem.get(stem) ?? []), category])
    }
  }
  return byStem
}
