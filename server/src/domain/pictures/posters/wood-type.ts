/** Widths of type, in percent of normal: from extra condensed to expanded. */
export const WIDTHS = [62, 75, 88, 100, 112, 125] as const
export type Width = (typeof WIDTHS)[number]

/** Height of a capital, as a share of the font size. */
export const CAP_HEIGHT = 0.686
/** Room for an accent above a capital, and for a cedilla or an ogonek below it. */
const ACCENT = 0.2

/** Advance widths of the printable ASCII characters in Archivo at weight 850, in thousandths of the font size. */
const ADVANCES: Record<Width, readonly number[]> = {
  62: [
    113, 262, 380, 490, 388, 723, 550, 206, 377, 377, 369, 518, 217, 240, 217, 275, 435, 366, 422, 432, 425, 432, 436,
    388, 424, 436, 222, 222, 518, 518, 518, 417, 684, 515, 490, 509, 506, 457, 399, 538, 509, 253, 440, 506, 422, 691,
    513, 549, 479, 549, 503, 461, 466, 499, 481, 716, 493, 480, 469, 371, 275, 371, 518, 370, 187, 434, 431, 412, 431,
    421, 275, 406, 428, 220, 222, 445, 220, 638, 428, 426, 431, 431, 285, 388, 279, 428, 397, 616, 432, 392, 375, 378,
    201, 378, 518,
  ],
  75: [
    138, 283, 416, 542, 459, 815, 653, 228, 379, 379, 382, 565, 254, 272, 254, 285, 507, 462, 499, 505, 501, 505, 508,
    476, 500, 508, 260, 260, 565, 565, 565, 483, 794, 600, 583, 597, 595, 544, 486, 636, 612, 286, 511, 607, 498, 777,
    615, 642, 558, 642, 593, 546, 546, 605, 574, 810, 584, 574, 549, 373, 285, 373, 565, 430, 218, 505, 506, 490, 506,
    497, 308, 489, 503, 249, 249, 511, 248, 751, 503, 503, 506, 506, 333, 459, 325, 503, 464, 714, 503, 461, 434, 382,
    226, 382, 565,
  ],
  88: [
    162, 304, 452, 594, 530, 907, 757, 250, 380, 380, 395, 612, 291, 304, 291, 295, 579, 558, 575, 579, 576, 578, 580,
    565, 576, 580, 298, 298, 612, 612, 612, 550, 905, 684, 676, 684, 684, 631, 573, 734, 715, 319, 582, 708, 574, 863,
    716, 735, 637, 735, 682, 631, 625, 711, 668, 903, 674, 668, 628, 376, 295, 376, 612, 490, 249, 576, 581, 568, 581,
    573, 340, 572, 578, 277, 276, 577, 277, 864, 579, 580, 581, 581, 381, 530, 371, 578, 531, 811, 574, 529, 492, 386,
    251, 386, 612,
  ],
  100: [
    185, 324, 485, 642, 595, 992, 852, 271, 382, 382, 407, 655, 325, 333, 325, 304, 646, 646, 646, 646, 646, 646, 646,
    646, 646, 646, 334, 334, 655, 655, 655, 611, 1007, 762, 762, 765, 767, 711, 654, 824, 810, 349, 648, 801, 645, 943,
    810, 821, 710, 821, 764, 709, 698, 808, 754, 989, 757, 755, 702, 378, 304, 378, 655, 545, 277, 642, 650, 640, 650,
    643, 370, 649, 648, 304, 301, 639, 304, 968, 648, 651, 650, 650, 425, 595, 414, 648, 592, 902, 639, 592, 545, 390,
    274, 390, 655,
  ],
  112: [
    238, 348, 521, 701, 659, 1067, 939, 285, 381, 381, 419, 697, 345, 373, 345, 306, 719, 680, 718, 721, 720, 720, 722,
    691, 728, 721, 345, 349, 697, 697, 697, 668, 1122, 849, 839, 849, 847, 783, 725, 914, 901, 366, 697, 882, 705, 1048,
    900, 912, 783, 912, 847, 789, 777, 890, 834, 1101, 850, 845, 781, 376, 306, 376, 697, 604, 306, 714, 712, 712, 712,
    716, 434, 713, 707, 316, 314, 694, 316, 1072, 707, 720, 712, 712, 460, 659, 467, 707, 657, 1008, 715, 657, 606, 383,
    283, 383, 697,
  ],
  125: [
    297, 374, 560, 765, 729, 1149, 1033, 301, 380, 380, 431, 743, 365, 416, 365, 308, 799, 717, 796, 801, 800, 801, 803,
    740, 816, 803, 358, 365, 743, 743, 743, 729, 1247, 943, 922, 941, 933, 861, 803, 1012, 999, 384, 749, 970, 770,
    1163, 997, 1010, 863, 1010, 938, 875, 863, 979, 921, 1221, 950, 942, 867, 374, 308, 374, 743, 667, 338, 792, 780,
    790, 780, 796, 504, 782, 772, 329, 327, 753, 329, 1184, 772, 795, 780, 780, 497, 729, 523, 772, 728, 1122, 797, 728,
    673, 376, 293, 376, 743,
  ],
}

/** For signs missing from the table, such as dashes: about the width of a capital. */
const ADVANCE_UNKNOWN = 600
/** Letters that are not a plain letter with an accent, and signs, with what is about as wide. */
const ALIKE: Record<string, string> = {
  ...{ Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Þ: 'P', Æ: 'AE', Œ: 'OE', '’': "'" },
  ...{ Ə: 'O', Ħ: 'H', Ŧ: 'T', '¡': '!', '¿': '?', '‘': "'", '“': '"', '”': '"', '„': '"', '…': '...' },
}
const MARKS_BELOW = /[\u0323-\u0333]/

/** The width of a text in capitals, as a multiple of the font size. */
export function widthOf(text: string, width: Width): number {
  let thousandths = 0
  for (const sign of plainLetters(text)) {
    thousandths += ADVANCES[width][sign.charCodeAt(0) - 32] ?? ADVANCE_UNKNOWN
  }
  return thousandths / 1000
}

/** How far accents and signs reach above the capitals and below the line, as shares of the font size. */
export function accentsOf(text: string): { above: number; below: number } {
  const marks = text.normalize('NFD').match(/\p{M}/gu) ?? []
  return {
    above: marks.some(mark => !MARKS_BELOW.test(mark)) ? ACCENT : 0,
    below: marks.some(mark => MARKS_BELOW.test(mark)) || /[¡¿„]/.test(text) ? ACCENT : 0,
  }
}

/** A text without accents, for measuring. */
const plainLetters = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[ØŁĐÐÞÆŒƏĦŦ¡¿‘’“”„…]/g, sign => ALIKE[sign] ?? sign)

/** Whether our font has every capital of a text (Latin, with or without accents), so that its width is known. */
export const isMeasured = (text: string): boolean => /^[ -~–—]*$/.test(plainLetters(text.toUpperCase()))
