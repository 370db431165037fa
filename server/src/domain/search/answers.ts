/**
 * What people search for, and after the sign words that answer it, in the order of the categories. A search for one of
 * the first finds the others, but not the other way round: who wants a spreadsheet may name a product, and who wants
 * chess does not want every strategy.
 */
export const ANSWERS = `
  bot bots assistant copilot > agent agents
  chatgpt gpt llm llms openai claude gemini > model models prompt prompts
  anonymize anonymise anonymization redact pseudonymise deidentify > strip replaced personal
  summarize summarise summarization summary tldr digest zusammenfassung resume resumen > summaries summary brief
  narrate narration tts audiobook readaloud vorlesen aloud loud papers > narrated audio voice lecture
  listen listening horen ecouter escuchar ascoltare > audio radio hear narrated مسموعة
  transcribe transcription dictation dictate stt speech subtitles > transcript transcribed transcription voice αναγνωριση φωνητικη κειμενο
  proofread proofreading proofreader grammar spelling spellcheck spellchecker > 校正 proofreading текста grammar
  text texts > κειμενο текста 文章
  evaluation evals evaluate qa testing > test tests regression
  form forms paperwork bureaucracy formular formulaire formulario burokratie > formularzy forms paperwork formulaire
  parcel package shipping courier return returns refund paket colis paquete > parcels courier refund delivery
  statistics stats metrics traffic visitors tracking statistik estadisticas > analytics metrics data
  gdpr dsgvo rgpd ccpa compliance > privacy privacidad datenschutz donnees personal cookies
  dashboard charts visualization > analytics maps data
  climate temperature forecast rain klima clima > weather meteo wetter
  bigquery snowflake etl datalake > warehouse parquet query
  opendata government statistics budget public > данни бюджети data
  painting painter paint draw drawing drawings peinture pintura malen > art illustration brushes paintings
  poster posters printmaking engraving lithograph woodcut etching wall > prints linocut carteles murales
  guitar piano ukulele bass akkorde acordes accords > chords chord
  vocals vocal karaoke acapella instrumental remix isolate gesang > stems stem
  nature ambience soundscape sounds forest rainforest noise relaxing natur > ambient suara hutan sounds
  songwriting songwriter lyricist compose lyrics > lyrics song songs write
  lp album albums records discogs turntable schallplatten vinyle vinilo > vinyl records
  livestream stream streaming broadcast > live radio siaran cameras
  novel novels fiction literature reading roman novela > book books read stories
  writer author novelist manuscript draft > writing writes write
  secondhand used preloved gebraucht occasion usado usados usato begagnad uzywane flea thrift tweedehands brukt brugt begagnade usate occasions zweitehand > ikinci wymiana flohmarkt secondhand
  swap exchange trade tausch echange trueque > swap wymiana
  lend lending borrow loan leihen preter > laner laaner library
  accountant accountancy bookkeeper finances buchhalter comptable contable commercialista > bookkeeping accounting tax steuer হিসাব
  equity shares shareholders shareholder captable vesting ownership > cap tables
  freelance freelancer freelancers selfemployed soletrader contractor > selbststandige enskilda firmor freelance
  lawyer lawyers attorney contract contracts anwalt avocat abogado lawsuit legal > lawyers vertrage legal
  slack discord teams messenger whatsapp telegram signal messaging instant > chat team voice
  gmail outlook mailbox > email mail inbox
  standup standups scrum sync async asynchronous daily > standups voice memo
  voicemail voicenote memos > voice sprachnachrichten memo
  zendesk intercom freshdesk helpdesk ticketing tickets > help desk support tickets ticket
  knowledge faq wiki documentation docs kb > help centre answers
  hotline callcenter receptionist answering telephone call calls anruf > phone calls support
  complaint complaints angry rude customer > angry answers reply support
  charity ngo nonprofit donate activism > volunteer communities groups
  environment environmental ecology litter plastic pollution conservation beach umwelt ecologie ocean > river cleanup traethau rivers seeds
  birds birding birdwatching ornithology vogel oiseaux pajaros > birdwatching adar vogels
  expat expats immigrants parents mothers moms eltern > 부모 모임 families parents
  figma sketch layout mockup wireframe ui ux > grids layout design icons
  logo logos branding brand packaging verpackung marke > merkevare emballasje logo brand
  svg glyphs symbols pictograms iconset icone > icons icon
  color colors colour palette palettes farben farbe couleurs colores colori > colours colors palette
  cronjob crontab scheduler scheduling scheduled > cron schedule
  logs log logging monitoring observability sentry > logs
  mock mocking stub replay vcr > record replay api
  secret secrets env vault credentials dotenv > secrets env encrypted
  lint linter linting eslint clippy codequality static > lints static analysis
    dependency dependencies npm packages supply upgrade upgrades updates > dependency maintainers permissions
  binary hexdump disassembler bytes reverse > binary bytes
  postgresql mysql sql sqlite db > postgres database postgresql
  migrate migration migrations schema downtime > миграции migration миграция
  camping tent tents backpack trekking outdoors gear equipment ausrustung > outdoor gear huts
  discount discounts sale sales outlet bargain bargains clearance rabatt soldes > half price discontinued
  seed seeds vegetable vegetables gardening heirloom samen graines semillas semi > tomato seed seeds varieties
  scented fragrance perfume aroma duft parfum velas perfumadas profumate > parfums bougies candles
  lastenrad lastenfahrrad bakfiets velocargo cargobike ebike > cargo bike bikes
  ceramic tableware pottery handmade bowl bowls topferei tonware handgemacht > gom bat pottery ceramics handmade
  fraction arithmetic algebra geometry numeracy mathe rechnen > maths fractions matek
  learn learning study lernen apprendre aprender > course courses lessons kurs cours curso cursos 教室
  designer designers > design architect studio
  coding programming programmieren programacion programmation > コード プロ programming code
  latin vocabulary conversation fluent languages sprachkurs > learn talking conversation language
  astronomy stars space stargazing sterne astronomie astronomia planets > astronomia cielo universo astronomy
  conference conferences talk talks summit meetup konferenz congres congreso > conferences talks meetings
  rsvp invitation invitations invite invites einladung einladungen invitacion invito party birthday > invitations guests
  festival fair carnival market flea flohmarkt markt kirchweih dorffest fete fetes fiesta village > flohmarkt dorffest events
  baking bake baker dough brotbacken > bread sourdough boulangerie boulangeries
  organic bio farmer farmers produce local biologique ecologico > organica produtores feira
  tapas pintxos pinchos bar bars pub pubs > pintxo taberna tabernas mokadu
  fermentation fermented kimchi kombucha sauerkraut pickles pickling fermentieren > gerjun surkals
  rpg roleplaying roleplay rollenspiel role > dungeon role playing quest
  boardgame boardgames brettspiel brettspiele tabletop juego plateau > bradspel board game
  strategy chess schach echecs ajedrez scacchi szachy > chess
  word puzzle puzzles wordle words > wordle words puzzle
  farm farming stardew cozy casual > 농장 farm
  back posture ergonomic ergonomics desk ruckenschmerzen rucken espalda > stretch back breaks
  exercise exercises workout fitness gym sport training ubungen > run stretch vaje minutes
  running runner runners jogging marathon laufen courir correr > run running club
  meditation meditate mindfulness breathing breath breathe relax relaxation stress calm yoga atmen atmung respiration > dihaj dihalne dihanje breathing
  insomnia tired dream schlafen dormir dormire > sleep schlaf schlaftagebuch
  reminder reminders remind pill pills medication tablets medikamente erinnerung rappel > दवा अलार्म alarm
  remote homeoffice teletravail teletrabajo distance worldwide > remotos remoto remote
  apprenticeship apprenticeships apprentice ausbildung apprentissage vocational trainee internship > oppisopimukset oppisopimus
  salary salaries wage pay gehalt salaire salario > salary salarios palkat
  cv resume curriculum lebenslauf interview > portfolio reviews hire
  seo serp ranking rankings backlinks google crawler > ranking seo претраживач page
  campaign campaigns link links tracking > utm builder
  plagiarism plagiat plagio copyright stolen theft duplicate copied copycat dmca > stole takedown copyright
  energy electricity power grid solar wind strom energie energia > electricity grid
  science scientific research papers wissenschaft ciencia recherche > علمية العلم science
  landscape landscaping landscaper landschaftsarchitekt architect gartner paysagiste paisajista > landschapsarchitect tuinen
  engineer engineering programmer blog blogger essays > engineer writes essays
  photographer portrait fotograf documentary dokumentar > fotografcisi 写真家 photographs
  analog analogue darkroom negative negatives rolls labor film films > film scans analogas filmas
  shutter dslr lens mileage camera kamera cameras appareil > camera shutter cameras
  premiere resolve cutting editor editing clip clips schnitt montage > edit video cut transcript
  satellite satellites earth planet aerial history historical > landsat earth timelapse
  webcam webcams camera livecam cams > cameras live
  volcano volcanoes volcanic lava eruption vulkan volcan vulcano > volcano
  todo todos tasks task checklist gtd aufgaben taches tareas > 할일상자 할일 tasks
  focus concentration coworking deepwork pomodoro konzentration > schweigend
  bookmark bookmarks browser tabs > tab tabs
  planner planners organizer printable habit habits template templates > planner printable trackers kit
  land plot plots acre parcel grundstuck terrain terreno > plots land parcel
  rent rents rental apartment apartments flat flats tenant miete loyer alquiler affitto > rent
  renovate renovation renovated ruin stone steinhaus restore restoration old > pietra restaurate kamene obnovu
  breach breaches leaked leak hacked pwned hack datenleck > leaks leakletter leak
  safety cybersecurity infosec hacker hacking > security امنیت threat privacy
  threats risk risks attack stride > threat threats
  friends network facebook instagram twitter community > network friends social siet
  bluesky mastodon threads twitter buffer hootsuite posts post > schedule bluesky mastodon posts
  indieweb blogs smallweb blogroll directory > webrings webring rings
  nachtzug nachtzuge nightjet sleeper railway rail couchette tren zug nattag nattog yojuna nachttrein > night trains sleeper
  hut huts cabin cabins refuge hutte berghutte rifugio cabane alps alpine mountain mountains berge hiking > hut huts alpine
  ferries boat boats ship island islands fahre traghetto > aiseag bataichean eilean
  bus buses transit public transport minibus fare fares > matatu njia vituo tram
  guide route routes sightseeing tour tours tourist city > promenades เส้น เดิน walks
  pastry croissant croissants patisserie bakeries > boulangeries bakery boulangerie
  vecchio grandma grandmother nonna oma grossmutter abuela avo babcia family > nonna famiglia family grandparents
  fairy legends казки сказки marchen contes cuentos skazki bajki > قصص cuentos stories
`
