import { isSolid, PIECE_LENGTH, runsOf } from './fold.ts'
import { stemOf } from './stems.ts'

/**
 * Words with the same or nearly the same meaning, in the languages of the listings. A search for one finds the others,
 * below listings with the word itself. The lines cover common searches. They leave out most forms of a word, because
 * search knows beginnings and stems.
 */
const MEANINGS = `
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
  child children kids kinder enfant enfants nino ninos infantil bambini criancas barn lapset дети 子供 小学生 아이 儿童 أطفال ילדים
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
  privacy datenschutz confidentialite privacidad приватность プライバシー 개인정보 خصوصية
  developer developers programming coding code programmierer developpeur desarrollador programador разработчик プログラミング 개발자 编程 مبرمج
  database databases postgres sql datenbank база データベース 데이터베이스 قاعدة
  agent agents agenten agente エージェント 에이전트 智能体 агент وكيل
  shop store boutique tienda negozio loja laden butik kauppa sklep магазин 店 가게 상점 商店 متجر দোকান
  candle candles kerze bougie candela свеча キャンドル 양초
  pottery ceramics keramik ceramique ceramica gom керамика 陶器 도자기 陶瓷
  garden gardening garten jardin giardino jardim tuin tuinen сад 庭 정원 حديقة
  bike bicycle bikes fahrrad velo bicicleta cykel pyora rower велосипед 自転車 자전거
  event events festival veranstaltung evenement evento イベント 행사 活动 فعالية
  museum museums musee museo muzeu museu музей 博物館 박물관 متحف
  volunteer volunteering ehrenamt benevolat voluntario gwirfoddoli волонтер ボランティア 자원봉사 تطوع
  calendar kalender calendrier calendario kalendarz календарь カレンダー 달력 تقويم
  password passwords passwort contrasena senha losenord пароль パスワード 비밀번호
  podcast audio audiobook radio radyo радио ラジオ 라디오 راديو
  newsletter rundbrief bulletin boletin نشرة ニュースレター 뉴스레터
  email correo courriel posta почта メール 이메일 بريد
`

/** Returns folded words with nearly the same meaning as a folded word, including itself. */
export function alike(word: string): readonly string[] {
  others ??= groupsByWord()
  return [...(others.get(entryOf(word)) ?? others.get(stemOf(word, 'en')) ?? [])]
}

/** Built by the first search, because only search needs it. */
let others: Map<string, Set<string>> | undefined

/** By the words, and by their English stems. */
function groupsByWord(): Map<string, Set<string>> {
  const byWord = new Map<string, Set<string>>()
  for (const line of MEANINGS.trim().split('\n')) {
    const group = runsOf(line).map(entryOf)
    for (const key of group.flatMap(word => [word, stemOf(word, 'en')])) {
      byWord.set(key, new Set([...(byWord.get(key) ?? []), ...group]))
    }
  }
  return byWord
}

/** The index has only this much of a run without blanks. */
function entryOf(run: string): string {
  return isSolid(run) ? [...run].slice(0, PIECE_LENGTH).join('') : run
}
