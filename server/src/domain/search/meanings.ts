/**
 * Words with the same or nearly the same meaning, in the languages of the listings, by line or between semicolons. A
 * search for one finds the others, below listings with the word itself. They cover common searches, and leave out most
 * forms of a word, because search knows beginnings and stems.
 */
export const MEANINGS = `
  bread sourdough bakery bakeries baking brot boulangerie panaderia panetteria padaria brod chleb хлеб パン 빵 麵包 面包 خبز pao pain pane brood ekmek leipa kenyer levain surdeg surdej sauerteig
  recipe recipes cooking cookbook rezept recette receta ricetta ricettario ricette receita recept oppskrift uppskrift przepis рецепт レシピ 레시피 食譜 食谱 وصفة opskrift opskrifter oppskrifter rezepte recettes receitas recetas recepten przepisy recepty kochrezepte cuisine cocina cucina cozinha kochen koken 料理 요리
  cafe coffee coffeehouse kaffee kaffe kahvi kawa кафе кофе カフェ 喫茶 카페 커피 咖啡 مقهى قهوة กาแฟ koffie caffe cafes kafe
  tea tee 茶 お茶 차 чай شاي herbata
  restaurant restaurante ristorante taberna tavern レストラン 食堂 식당 餐廳 餐厅 مطعم ร้านอาหาร
  invoice invoicing billing factura facture faktura fattura fatura rechnung lasku счет 請求書 청구서 发票 فاتورة factuur facturen rechnungen facturas factures fatture faturas fakturor fakturaer faktury facturation invoices счёт
  tax taxes steuer impot impuesto tassa skatt vero podatek налог 税金 세금 ضريبة belasting belastingen belastingaangifte aangifte steuern steuererklarung impots impuestos tasse impostos skatter podatki налоги vergi
  bookkeeping accounting ledger buchhaltung comptabilite contabilidad boekhouding bokforing 会計 회계 محاسبة bogforing bogholderi regnskab regnskap contabilita kirjanpito ksiegowosc muhasebe бухгалтерия হিসাব
  photo photos photography photographer photograph foto fotografie fotografia fotografo photographie fotograf fotografas фотография фотограф 写真 사진 照片 摄影 攝影 صورة تصوير fotos fotografi valokuva valokuvaaja zdjecie zdjecia photographe photographes fotograaf fotografen 写真家 사진작가
  video film movie pelicula filme фильм видео 動画 영상 视频 فيديو
  picture image illustration illustrator ilustracion ilustracao zeichnung иллюстрация イラスト 일러스트 插画 رسم bild bilder illustratie illustrationen ilustracja dessin dessins disegno desenho tegning
  music musik musique musica muzyka музыка 音楽 음악 音乐 موسيقى musiikki hudba muziek muzik
  song songs chanson cancion canzone piosenka песня 歌 노래 أغنية lieder liedje sanger cancao cancoes canciones chansons canzoni песни
  book books buch livre libro livro boek bok kitap ksiazka книга 本 책 书 كتاب bog boger boeken bucher bocker boker livres libros libri livros ksiazki книги kniha knihy ספר ספרים kirja kirjat
  story stories tale tales geschichte conte cuento racconto historia hikaye рассказ 物語 話 이야기 故事 قصة قصص حكاية حكايات verhaal verhalen histoire histoires geschichten historie storia storie racconti contos opowiadania erzahlung
  library bibliothek bibliotheque biblioteca biblioteka библиотека 図書館 도서관 图书馆 مكتبة bibliotek bibliotheek kirjasto knihovna kutuphane
  newspaper news zeitung journal periodico giornale noticias nyheter uutiset новости 新聞 ニュース 뉴스 新闻 أخبار עיתון krant avis tidning zeitschrift nachrichten gazete gazeta noviny jornal journaux notizie nieuws wiadomosci
  game games gaming spiel jeu juego gioco jogo spel peli oyun игра ゲーム 게임 游戏 لعبة משחק spil spill spiele jeux juegos giochi jogos spelletje gry игры hra hry משחקים
  child children kids kinder enfant enfants nino ninos infantil bambini criancas barn lapset дети 子供 小学生 아이 儿童 أطفال ילדים family familie kid bambino kinderen infantiles dzieci copii cocuk criança
  school schule ecole escuela scuola escola skola koulu okul szkola школа 学校 학교 مدرسة skole schulen
  course courses lessons lernen kurs cours curso corso tutorial курс 教室 講座 강좌 课程 دورة cursus kursus kurse lezioni clases lessen lekcje aulas
  math maths mathematics mathe mathematik matek matematica 数学 수학 رياضيات wiskunde matematyka matematika математика mathematiques matematikk matemaatica matematicas
  weather wetter meteo tiempo clima погода 天気 날씨 天气 طقس weer vader vejr pocasi hava vorhersage wettervorhersage previsions
  map maps karte carte mappa kart kaart kaardid harta ramani карта 地図 지도 地图 خريطة แผนที่ karten cartes mapas mapy kaarten harita
  train trains railway zug bahn tren treno trem tog juna pociag поезд 電車 기차 火车 قطار zuge trenes treni trens trein treinen toget junat pociagi поезда vlak vonat 列車
  ferry ferries faehre traghetto aiseag паром
  travel trip tourism reise voyage viaje viaggio viagem resa matka podroz путешествие 旅行 여행 سفر reis reizen resor rejser podroze viajes voyages viaggi viagens путешествия seyahat
  walk walking hiking wandern randonnee senderismo promenade paseo เดิน 散歩 산책 walks wandeling wandelen vandring caminata camminata caminhada spacer прогулка wanderung wanderungen randonnees promenades hike hikes
  job jobs career hiring recruiting arbeit emploi empleo trabajo trabajos trabalho lavoro jobb tyo praca работа 仕事 求人 일자리 工作 وظيفة baan banen vacature vacatures stelle stellen stellenangebote emplois empleos vagas emprego empregos lavori jobber вакансии работу
  house property haus maison casa case talo kuca дом 家 집 房子 بيت hauser maisons casas huis huizen hus domy home homes hem hjem
  health gesundheit sante salud salute saude halsa terveys zdrowie здоровье 健康 건강 صحة gezondheid sundhed helse zdravi saglik
  medicine medication pill pills drug medikament medicament medicina دواء 薬 약 दवा medicijn medicijnen tabletten medicamentos farmaci leki лекарство medikamente medicines
  sleep schlaf sommeil sueno sonno sono сон 睡眠 수면 نوم slaap slapen sovn spanek uyku somn
  translation translate translator ubersetzung traduction traduccion traduzione preklad перевод 翻訳 번역 翻译 ترجمة vertaling vertalingen vertalen vertaler tlumaczenie tlumaczenia tlumacz przetlumaczyc oversaettelse oversettelse oversattning ceviri preklady prekladac traducao traduzir traducir traduire ubersetzen ubersetzer переводчик traductor traducteur traduttore translations
  language sprache langue idioma sprak jezyk язык 言語 日本語 언어 لغة taal talen sprachen langues idiomas lingua lingue sprog jezyki
  security sicherheit securite seguridad sicurezza seguranca sakerhet безопасность 安全 セキュリティ 보안 أمن امنیت veiligheid beveiliging sikkerhed sikkerhet bezpieczenstwo bezpecnost guvenlik turvallisuus
  privacy datenschutz confidentialite privacidad приватность プライバシー 개인정보 خصوصية gdpr privacidade personvern integritet prywatnosc soukromi gizlilik dsgvo rgpd
  developer developers programming coding code programmierer developpeur desarrollador programador разработчик プログラミング 개발자 编程 مبرمج ontwikkelaar utvikler udvikler utvecklare programista programmeren programmieren programmation programacion programacao programmazione programmera コード 코딩
  database databases postgres sql datenbank база データベース 데이터베이스 قاعدة databank datenbanken baza базы
  agent agents agenten agente エージェント 에이전트 智能体 агент وكيل
  shop store boutique tienda negozio loja laden butik kauppa sklep магазин 店 가게 상점 商店 متجر দোকান winkel geschaft negozi tiendas boutiques magasin sklepy butikk магазины
  candle candles kerze bougie candela свеча キャンドル 양초 kaars kaarsen stearinlys stearinljus kerzen velas candele swieca swiece свечи kynttila bougies lys
  pottery ceramics keramik ceramique ceramica gom керамика 陶器 도자기 陶瓷 keramiek keramikk poterie topferei alfareria
  garden gardening garten jardin giardino jardim tuin tuinen сад 庭 정원 حديقة ogrod zahrada huerto huertos potager tradgard puutarha
  bike bicycle bikes fahrrad velo bicicleta cykel pyora rower велосипед 自転車 자전거 fiets fietsen sykkel cykler fahrrader velos bicicletas biciclette rowery bicykl bicycling
  event events festival veranstaltung evenement evento イベント 행사 活动 فعالية veranstaltungen eventos evenementen evenements eventi arrangement wydarzenia akce fete fetes fiesta fiestas festa feste
  museum museums musee museo muzeu museu музей 博物館 박물관 متحف muzea museos musees muzeelor museer museen
  volunteer volunteering ehrenamt benevolat voluntario gwirfoddoli волонтер ボランティア 자원봉사 تطوع vrijwilliger vrijwilligers vrijwilligerswerk frivillig frivillige voluntariado voluntarios volontariato benevole benevoles ehrenamtlich wolontariat dobrovolnik
  calendar kalender calendrier calendario kalendarz календарь カレンダー 달력 تقويم calendriers kalenteri takvim calendarios
  password passwords passwort passwortmanager passworter mdp contrasena senha losenord пароль パスワード 비밀번호 wachtwoord wachtwoorden adgangskode adgangskoder passord salasana haslo hasla heslo sifre contrasenas пароли مرور סיסמה 密码 密碼 motdepasse
  podcast audio audiobook radio radyo радио ラジオ 라디오 راديو
  newsletter rundbrief bulletin boletin نشرة ニュースレター 뉴스레터 nieuwsbrief nyhetsbrev nyhedsbrev infolettre boletim newsletters рассылка
  email correo courriel posta почта メール 이메일 بريد mejl epost
  spreadsheet spreadsheets excel sheets hoja tableur tabelle tabellen tabellenkalkulation calculo foglio planilha arkusz kalkylark 表計算 таблица rekenblad regneark kalkylblad tableurs
  font fonts typeface typefaces typography typographie typografie tipografia kerning lettering letterform letterforms schrift schriften fuente шрифт フォント 폰트 字体 lettertype lettertypen schriftart schriftarten polices caracteres typsnitt skrifttype skrifttyper czcionka czcionki шрифты
  diary diaries journal tagebuch diario dziennik dagbok dagboek дневник 日記 일기 dagbog dagboeken paivakirja pamietnik denik gunluk diarios journaling 日记
  repair repairs fix mend reparieren reparatur reparation reparer reparar riparare naprawa ремонт 修理 수리 reparatie repareren repariert repareres riparazione reparacao reparacion naprawic korjaus oprava repared 修繕 reparasjon reparasjonen
  glass glas verre vidrio vetro vidro szklo stained vitrail стекло стекла скло скла ガラス
  night nachts nacht nuit noche notte noite natt noc noapte noaptea ночь 夜 밤 夜晚 nights nachten nuits noches notti nocturno nocturna notturno notturna notturni nocturne noturno ночной ночные nachtelijk 夜行
  sound sounds klang ton son sonido suono zvuk звук 音 소리 صوت صوتية geluid lyd ljud gerausch gerausche bruit sonidos suoni
  voice stimme voix voz rost glos голос 声 목소리
  letter letters buchstabe buchstaben  lettre letra lettera bokstav litera буква
  puzzle puzzles ratsel enigme acertijo חידות
  science wissenschaft ciencia scienza nauka наука 科学 과학 علم علمية vitenskap videnskab vetenskap wetenschap sciences bilim
  writing write schreiben ecrire escribir scrivere skriva pisac письмо 文章 글쓰기 كتابة schrijven skrive escritura ecriture scrittura pisanie
  learn learning lernen apprendre aprender aprende imparare lara uczyc учиться 学ぶ 배우기 学习 leren laere laera apprends lerne leer aprendo imparo выучить изучать
  buy sell kaufen verkaufen acheter vendre comprar vender comprare kopa купить sat satin kopen kobe kjope köpa
  family families familie famille familia famiglia rodzina aile семья 家族 가족 परिवार خانواده gezin familien perhe
  stone stein pierre piedra pietra kamen kamene камень 石 돌 sten steen piedras pietre
  volcano volcanoes volcanic vulkan vulkane vulkanen vulkaan volcan volcanes volcans vulcano vulcani vulcao wulkan tulivuori вулкан 火山 화산 بركان
  chess schach echecs ajedrez scacchi xadrez szachy sachy schaken sjakk skak schack shakki satranc шахматы шахи チェス 체스 象棋 شطرنج שחמט
  hut huts hutte hutten berghutte berghutten refuge refuges rifugio rifugi refugio schronisko chata hytte hytter stuga
  mountain mountains alpine alps berg berge montagne montana montagna montanha bergen fjell bjerg gory hory горы 山 산
  camera cameras kamera kameras kamery camara camaras fotocamera камера カメラ 카메라 相机 كاميرا
  guitar guitare guitarra gitarre gitaar chitarra gitara gitarr gitar kitara гитара ギター 기타 吉他
  chord chords akkord akkorde akkorden akkoord akkoorden accords acorde acordes accordi akordy akkorder ackord аккорды
  color colour colors colours farbe farben couleur couleurs colore colori cores kleur kleuren farve farver farge farg kolor kolory renk цвет цвета 색
  tomato tomatoes tomate tomates tomaten pomodoro pomodori tomaat tomat tomater pomidor pomidory domates помидор томат トマト 토마토 番茄
  seed seeds samen saatgut graine graines semilla semillas semente sementes zaad zaden nasiona семена 씨앗 种子
  card cards karte karten kaart kaarten kort carta cartas naipes karty карты カード 카드
  rent rents miete mieten loyer loyers alquiler alquileres affitto affitti aluguel huur huren hyra husleje leie czynsz najem kira vuokra аренда 家賃 월세 房租 إيجار
  land plot plots grundstuck grundstucke terrain terrains terreno terrenos grond tomt dzialka pozemek участок 土地 토지
  neighbour neighbours neighbor neighbors nachbar nachbarn voisin voisins vecino vecinos vicini vizinho vizinhos buren naboer grannar sasiad sasiedzi sasiedzka соседи
  conference conferences konferenz konferenzen conferencia conferencias congreso conferenza convegno conferentie konference konferanse konferens konferencja конференция
  invitation invitations einladung einladungen invitacion invitaciones inviti convite convites uitnodiging uitnodigingen invitasjon inbjudan zaproszenie zaproszenia davetiye приглашение 招待状 초대장
  organic biologisch biologique organico organica organicos organicas okologisk ekologisk ecologico ecologica ekologiczny
  farmer farmers producer producers produtor produtores produtos producteur producteurs productor productores bauern boeren bonder rolnik 茶農
  market markets markt markte marche mercado mercato marked marknad rynek targ pazar pazari рынок feira 市場 시장
  electricity strom elektrizitat electricite electricidad elettricita eletricidade stroom elektrisitet elektricitet prad electric 電気 전기 电力
  energy energie energia energi энергия エネルギー 에너지
  remote homeoffice teletravail teletrabajo distansarbete hjemmekontor etatyo thuiswerk thuiswerken zdalna remoto remota remotos удаленная 在宅 distance
  apprenticeship apprenticeships apprentice lehrstelle lehrstellen lehre ausbildung apprentissage apprenti apprendistato leerplek lærling larling oppisopimus oppisopimukset
  postcard postcards postkarte postkarten postales cartolina cartoline ansichtkaart postkort vykort pocztowka открытка 葉書 엽서
  meeting meetings besprechung sitzung reunion reunions riunione riunioni vergadering vergaderingen spotkanie spotkania совещание 会議 회의 会议
  city town towns stadt stadte ville villes ciudad citta cidade stad miasto город 街 도시 城市
  friend friends freund freunde freunden ami amis amigo amigos amico amici vriend vrienden venner vanner przyjaciele друзья 友達 친구 朋友
  network netzwerk reseau rete rede netwerk nettverk natverk siec siet сеть
  data daten donnees datos dati dados gegevens dane данные данни данните データ 데이터 数据 بيانات
  client customer customers kunde kunden clients cliente clienti clientes klant klanten kunder klient клиент 顧客 고객 ; question questions frage fragen pregunta preguntas domanda domande vraag vragen sporgsmal sporsmal вопрос ; paper papers papier papel carta papper papir бумага أوراق
  journalist journalists reporter journalistin journaliste journalistes periodista periodistas giornalista jornalista dziennikarz журналист 記者 기자 صحفي روزنامه ; digital digitale numerique digitaal cyfrowy цифровой デジタル 디지털 رقمي رقمية دیجیتال
  dream dreams traum traume reve reves sogno sogni sonho droom sny сны 夢 ; back ruckens rucken espalda schiena rygg ryg costas plecy спина 腰
  breath breathe breathing atmen atmung atem respiration respirer respiracion respirar respirazione respiracao ademhaling adem andning andas dihanje dihalne дыхание 呼吸 ; club clubs klub klubb clubes vereniging verein vereine spolek spolky association associations клуб
  village villages dorf dorfer aldea aldeia aldeias villaggio dorp dorpen wies деревня 村 마을 ; fairy fairytale fairytales marchen conte contes fiaba fiabe sprookje sprookjes eventyr saga sagor bajka bajki pohadka казки сказки
  landscape landschaft landschap landschaften paysage paysages paisaje paesaggio paisagem landskab landskap krajobraz пейзаж ; architect architekt architekten architecte architectes arquitecto architetto arquiteto arkitekt architectuur architecture архитектор
  design designer designers gestaltung diseno disenador ontwerp ontwerper projektowanie дизайн デザイン 디자인 ; sign signs schild schilder enseigne enseignes letrero letreros insegna insegne uithangbord ; news nachrichten actualites actualite notizie nieuws wiadomosci nyheder uutisia ニュース haberler
  plan planner planung planning planificador plannen planering planlegging ; timetable timetables fahrplan horaires horario horarios orario dienstregeling rutetabell tidtabell rozklad ; shelf shelves regal hylde hylden hylla hylle etagere estante scaffale polka
  beer bier biere cerveza birra cerveja olut piwo pivo пиво ビール 맥주 ; wine wein weine vin vins vino vini vinho wijn wino вино ワイン 와인 ; cheese kase fromage queso formaggio queijo kaas сыр チーズ ; dog dogs hund hunde chien chiens perro perros cane cani cachorro honden pies собака 犬 강아지
  cat cats katze katzen gatto gatti gatos kat katten kot кошка 猫 고양이 ; car cars auto autos voiture voitures coche coches carro carros bil biler bilar samochod машина 車 자동차 ; flight flights flug fluge vol vols vuelo vuelos volo voli voo vlucht vluchten flyg самолет 飛行機
  hotel hotels hotell hoteles alberghi albergo отель ホテル 호텔 ; doctor doctors arzt arzte medecin medico medici lakare laege lekarz врач 医者 의사 ; insurance versicherung assurance seguro seguros assicurazione verzekering forsikring forsakring ubezpieczenie страхование 保険 보험
  wedding hochzeit mariage boda matrimonio casamento bruiloft bryllup brollop slub свадьба 結婚式 ; clothes kleidung vetements ropa vestiti roupa kleding klaer klader ubrania одежда 服 옷 ; furniture mobel meubles muebles mobili moveis meubels mobler meble мебель 家具
  football soccer fussball futbol calcio futebol voetbal fotboll fotball pilka футбол サッカー 축구
  korea korean koreanisch coreen coreano 한국 ; berlin 베를린 ベルリン берлин ; japan japanese japanisch japonais japones 日本
  tokyo tokio 東京 도쿄 ; taiwan taiwanese 台灣 台湾 ; iceland icelandic island islande islandia reykjavik
  estonia estonian estland eesti ; bulgaria bulgarian bulgarien българия
  ukraine ukrainian украина україна lviv lemberg львові львов ; greece greek griechisch grec griego ελληνικα
  austria austrian osterreich autriche ; scotland scottish schottland ecosse alba hebrides eilean ; wales welsh cymru
  vietnam vietnamese ; thailand thai bangkok กรุง ; kenya nairobi matatu ; indonesia indonesian kalimantan borneo
  finland finnish suomi finnisch pohjolan nordic ; sardinia sardinien sardaigne cerdena sardegna sarda
  croatia croatian kroatien istria istra ; spain spanish spanien valencia ; basque donostia sansebastian
  arab arabic arabisch العربي ; israel hebrew hebraisch ישראל ; turkey turkish turkisch turkiye karadeniz
  poland polish polnisch polski polskie polonais ; czech tschechisch cesky cestina ceske czeski tcheque ; hungary hungarian ungarisch magyar
  romania romanian rumanien bucharest ; portugal portuguese portugiesisch aldeias ; mexico mexican oaxaca
  nyc york manhattan brooklyn
`
