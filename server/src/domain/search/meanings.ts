/**
 * Words with the same or nearly the same meaning, in the languages of the listings. A search for one finds the others,
 * below listings with the word itself. The lines cover common searches. They leave out most forms of a word, because
 * search knows beginnings and stems.
 */
export const MEANINGS = `
  bread sourdough bakery bakeries baking brot boulangerie panaderia panetteria padaria brod chleb хлеб パン 빵 麵包 面包 خبز
  recipe recipes cooking cookbook rezept recette receta ricetta ricettario ricette receita recept oppskrift uppskrift przepis рецепт レシピ 레시피 食譜 食谱 وصفة
  cafe coffee coffeehouse kaffee kaffe kahvi kawa кафе кофе カフェ 喫茶 카페 커피 咖啡 مقهى قهوة กาแฟ
  tea tee 茶 お茶 차 чай شاي
  restaurant restaurante ristorante taberna tavern レストラン 食堂 식당 餐廳 餐厅 مطعم ร้านอาหาร
  invoice invoicing billing factura facture faktura fattura fatura rechnung lasku счет 請求書 청구서 发票 فاتورة
  tax taxes steuer impot impuesto tassa skatt vero podatek налог 税金 세금 ضريبة
  bookkeeping accounting ledger buchhaltung comptabilite contabilidad boekhouding bokforing 会計 회계 محاسبة
  photo photos photography photographer photograph foto fotografie fotografia fotografo photographie fotograf fotografas фотография фотограф 写真 사진 照片 摄影 攝影 صورة تصوير
  video film movie pelicula filme фильм видео 動画 영상 视频 فيديو
  picture image illustration illustrator ilustracion ilustracao zeichnung иллюстрация イラスト 일러스트 插画 رسم
  music musik musique musica muzyka музыка 音楽 음악 音乐 موسيقى
  song songs chanson cancion canzone piosenka песня 歌 노래 أغنية
  book books buch livre libro livro boek bok kitap ksiazka книга 本 책 书 كتاب
  story stories tale tales geschichte conte cuento racconto historia hikaye рассказ 物語 話 이야기 故事 قصة قصص حكاية حكايات
  library bibliothek bibliotheque biblioteca biblioteka библиотека 図書館 도서관 图书馆 مكتبة
  newspaper news zeitung journal periodico giornale noticias nyheter uutiset новости 新聞 ニュース 뉴스 新闻 أخبار עיתון
  game games gaming spiel jeu juego gioco jogo spel peli oyun игра ゲーム 게임 游戏 لعبة משחק
  child children kids kinder enfant enfants nino ninos infantil bambini criancas barn lapset дети 子供 小学生 아이 儿童 أطفال ילדים family familie kid
  school schule ecole escuela scuola escola skola koulu okul szkola школа 学校 학교 مدرسة
  course courses lessons lernen kurs cours curso corso tutorial курс 教室 講座 강좌 课程 دورة
  math maths mathematics mathe mathematik matek matematica 数学 수학 رياضيات
  weather wetter meteo tiempo clima погода 天気 날씨 天气 طقس
  map maps karte carte mappa kart kaart kaardid harta ramani карта 地図 지도 地图 خريطة แผนที่
  train trains railway zug bahn tren treno trem tog juna pociag поезд 電車 기차 火车 قطار
  ferry ferries faehre traghetto aiseag паром
  travel trip tourism reise voyage viaje viaggio viagem resa matka podroz путешествие 旅行 여행 سفر
  walk walking hiking wandern randonnee senderismo promenade paseo เดิน 散歩 산책
  job jobs career hiring recruiting arbeit emploi empleo trabajo trabajos trabalho lavoro jobb tyo praca работа 仕事 求人 일자리 工作 وظيفة
  house property haus maison casa case talo kuca дом 家 집 房子 بيت
  health gesundheit sante salud salute saude halsa terveys zdrowie здоровье 健康 건강 صحة
  medicine medication pill pills drug medikament medicament medicina دواء 薬 약 दवा
  sleep schlaf sommeil sueno sonno sono сон 睡眠 수면 نوم
  translation translate translator ubersetzung traduction traduccion traduzione preklad перевод 翻訳 번역 翻译 ترجمة
  language sprache langue idioma sprak jezyk язык 言語 日本語 언어 لغة
  security sicherheit securite seguridad sicurezza seguranca sakerhet безопасность 安全 セキュリティ 보안 أمن امنیت
  privacy datenschutz confidentialite privacidad приватность プライバシー 개인정보 خصوصية gdpr datenschutz privacidade
  developer developers programming coding code programmierer developpeur desarrollador programador разработчик プログラミング 개발자 编程 مبرمج
  database databases postgres sql datenbank база データベース 데이터베이스 قاعدة
  agent agents agenten agente エージェント 에이전트 智能体 агент وكيل
  shop store boutique tienda negozio loja laden butik kauppa sklep магазин 店 가게 상점 商店 متجر দোকান
  candle candles kerze bougie candela свеча キャンドル 양초
  pottery ceramics keramik ceramique ceramica gom керамика 陶器 도자기 陶瓷
  garden gardening garten jardin giardino jardim tuin tuinen сад 庭 정원 حديقة
  bike bicycle bikes fahrrad velo bicicleta cykel pyora rower велосипед 自転車 자전거
  event events festival veranstaltung evenement evento イベント 행사 活动 فعالية events veranstaltungen eventos
  museum museums musee museo muzeu museu музей 博物館 박물관 متحف museums muzea museos musees muzeelor
  volunteer volunteering ehrenamt benevolat voluntario gwirfoddoli волонтер ボランティア 자원봉사 تطوع
  calendar kalender calendrier calendario kalendarz календарь カレンダー 달력 تقويم
  password passwords passwort passwortmanager passworter mdp contrasena senha losenord пароль パスワード 비밀번호
  podcast audio audiobook radio radyo радио ラジオ 라디오 راديو
  newsletter rundbrief bulletin boletin نشرة ニュースレター 뉴스레터
  email correo courriel posta почта メール 이메일 بريد
  spreadsheet spreadsheets excel sheets hoja tableur tabelle tabellen tabellenkalkulation calculo foglio planilha arkusz kalkylark 表計算 таблица
  font fonts typeface typefaces typography typographie typografie tipografia kerning lettering letterform letterforms schrift schriften fuente шрифт フォント 폰트 字体
  diary diaries journal tagebuch diario dziennik dagbok dagboek дневник 日記 일기
  repair repairs fix mend reparieren reparatur reparation reparer reparar riparare naprawa ремонт 修理 수리
  glass glas verre vidrio vetro vidro szklo stained vitrail стекло стекла скло скла ガラス
  night nachts nacht nuit noche notte noite natt noc noapte noaptea ночь 夜 밤 夜晚
  sound sounds klang ton son sonido suono zvuk звук 音 소리 صوت صوتية
  voice stimme voix voz rost glos голос 声 목소리
  letter letters buchstabe buchstaben  lettre letra lettera bokstav litera буква
  puzzle puzzles ratsel enigme acertijo חידות
  science wissenschaft ciencia scienza nauka наука 科学 과학 علم علمية
  writing write schreiben ecrire escribir scrivere skriva pisac письмо 文章 글쓰기 كتابة
  learn learning lernen apprendre aprender aprende imparare lara uczyc учиться 学ぶ 배우기 学习
  buy sell kaufen verkaufen acheter vendre comprar vender comprare kopa купить sat satin
  family families familie famille familia famiglia rodzina aile семья 家族 가족 परिवार خانواده
  stone stein pierre piedra pietra kamen kamene камень 石 돌
  korea korean koreanisch coreen coreano 한국
  berlin 베를린 ベルリン берлин
  japan japanese japanisch japonais japones 日本
  tokyo tokio 東京 도쿄
  taiwan taiwanese 台灣 台湾
  iceland icelandic island islande islandia reykjavik
  estonia estonian estland eesti
  bulgaria bulgarian bulgarien българия
  ukraine ukrainian украина україна lviv lemberg львові львов
  greece greek griechisch grec griego ελληνικα
  austria austrian osterreich autriche
  scotland scottish schottland ecosse alba hebrides eilean
  wales welsh cymru
  vietnam vietnamese
  thailand thai bangkok กรุง
  kenya nairobi matatu
  indonesia indonesian kalimantan borneo
  finland finnish suomi finnisch pohjolan nordic
  sardinia sardinien sardaigne cerdena sardegna sarda
  croatia croatian kroatien istria istra
  spain spanish spanien valencia
  basque donostia sansebastian
  arab arabic arabisch العربي
  israel hebrew hebraisch ישראל
  turkey turkish turkisch turkiye karadeniz
  poland polish polnisch polski
  czech tschechisch cesky cestina
  hungary hungarian ungarisch magyar
  romania romanian rumanien bucharest
  portugal portuguese portugiesisch aldeias
  mexico mexican oaxaca
  nyc york manhattan brooklyn
`

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
  narrate narration tts audiobook readaloud vorlesen > narrated audio voice lecture
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
  secondhand used preloved gebraucht occasion usado usados usato begagnad uzywane flea thrift > ikinci wymiana flohmarkt secondhand
  swap exchange trade tausch echange trueque > swap wymiana
  lend lending borrow loan leihen preter > laner laaner library
  accountant accountancy bookkeeper finances buchhalter comptable contable commercialista > bookkeeping accounting tax steuer হিসাব
  equity shares shareholders shareholder captable vesting ownership > cap tables
  freelance freelancer freelancers selfemployed soletrader contractor > selbststandige enskilda firmor freelance
  lawyer lawyers attorney contract contracts anwalt avocat abogado > lawyers vertrage legal
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
  festival fair carnival market flea flohmarkt markt kirchweih dorffest > flohmarkt dorffest events
  baking bake baker dough brotbacken > bread sourdough boulangerie boulangeries
  organic bio farmer farmers produce local biologique ecologico > organica produtores feira
  tapas pintxos pinchos bar bars pub pubs > pintxo taberna tabernas mokadu
  fermentation fermented kimchi kombucha sauerkraut pickles pickling fermentieren > gerjun surkals
  rpg roleplaying roleplay rollenspiel role > dungeon role playing quest
  boardgame boardgames brettspiel brettspiele tabletop juego plateau > bradspel board game cards
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
  landscape landscaping landscaper architect gartner paysagiste paisajista > landschapsarchitect tuinen
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
  renovate renovation renovated ruin stone steinhaus > pietra restaurate kamene obnovu
  breach breaches leaked leak hacked pwned hack datenleck > leaks leakletter leak
  safety cybersecurity infosec hacker hacking > security امنیت threat privacy
  threats risk risks attack stride > threat threats
  friends network facebook instagram twitter community > network friends social siet
  bluesky mastodon threads twitter buffer hootsuite posts post > schedule bluesky mastodon posts
  indieweb blogs smallweb blogroll directory > webrings webring rings
  nachtzug nachtzuge nightjet sleeper railway rail couchette tren zug > night trains sleeper
  hut huts cabin cabins refuge hutte berghutte rifugio cabane alps alpine mountain mountains berge hiking > hut huts alpine
  ferries boat boats ship island islands fahre traghetto > aiseag bataichean eilean
  bus buses transit public transport minibus fare fares > matatu njia vituo tram
  guide route routes sightseeing tour tours tourist city > promenades เส้น เดิน walks
  pastry croissant croissants patisserie bakeries > boulangeries bakery boulangerie
  vecchio grandma grandmother nonna oma grossmutter abuela avo babcia family > nonna famiglia family grandparents
  fairy legends казки сказки marchen contes cuentos skazki bajki > قصص cuentos stories
`
