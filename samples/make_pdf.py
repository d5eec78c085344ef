"""Write hive-scale-manual.pdf, the sample PDF: `python samples/make_pdf.py [path]` (needs PyMuPDF).

A manual as such files come: a running header and footer on every page, words hyphenated at line ends, and three levels
of bookmarks, of which some point only to a page and others to the place of the title."""
import sys
from pathlib import Path

import pymupdf

TITLE = 'Alder Scale 2: Operating Manual'
SIZES = {1: 17, 2: 13, 3: 11}
LEFT, RIGHT, TOP, BOTTOM = 64, 531, 92, 770

MANUAL = [
    [(1, 'Introduction', """
The Alder Scale 2 weighs a beehive day and night and keeps a record of what it finds. It stands under the hive
in place of the stand, runs on one set of batteries for a year, and needs no telephone network. This manual
describes how to set it up, how to read it and what to do when it does not behave.

Read the chapter on safety before you lift a hive. A full hive weighs as much as a grown person."""),
     (2, 'What is in the box', """
One weighing platform, one display with two meters of cable, one temperature probe, four adjustable feet, one
spirit level and this manual. Batteries are not in the box."""),
     (2, 'Technical data', """
Capacity 200 kg. Resolution 10 g. Error of measurement less than 50 g between -20 and +40 degrees Celsius.
Interval of recording 15 minutes. Memory for 400 days. Four batteries of type LR14. Protection class IP65: rain
does no harm, but the display must not lie in standing water.""")],
    [(1, 'Safety', """
Two people lift a hive, one at each side, with straight backs. Strap the hive before it is moved, so that boxes
do not slip apart. Work in the evening, when the bees are at home, and close the entrance with foam."""),
     (2, 'Batteries', """
Never mix old and new batteries. Take the batteries out when the scale is stored for the winter, since leaking
cells destroy the contacts and the guarantee does not cover them."""),
     (2, 'Lightning', """
The platform is of metal and stands in the open. Do not touch the hive or the cable during a thunder storm.""")],
    [(1, 'Setting up', """
Choose the place with care, for a scale that has been moved must be leveled and zeroed again."""),
     (2, 'Leveling the platform', """
Lay two paving slabs on firm ground. Screw in the four feet by half their length and set the platform on the
slabs. Put the spirit level on the platform, first along and then across, and turn the feet until the bubble
stands in the middle both times. A platform that leans by five degrees reads 0.4 percent too little."""),
     (2, 'Setting the zero', """
With the empty platform level, hold the ZERO button for five seconds. The display shows four dashes and then
0.00. Only now put the hive on. If the hive already stands on the platform, use the menu item TARE instead and
type the weight that you know."""),
     (2, 'The temperature probe', """
Push the probe between the crown board and the roof, or into the brood nest through the hole in the back of the
box. In the brood nest a steady 35 degrees from March onward tells you that the queen is laying.""")],
    [(1, 'Reading the scale', """
The display wakes when a button is pressed and sleeps after one minute."""),
     (2, 'The daily curve', """
A strong colony in a nectar flow draws the same curve every day. The weight falls at sunrise as the foragers
leave, rises from mid-morning until dusk and sinks slowly overnight while water is fanned out of the nectar. The
gain of the day is the difference between two midnights."""),
     (3, 'A sudden loss', """
A loss of two to four kilograms within ten minutes around noon is a swarm: one thousand bees with their
provision weigh about 150 grams, and a prime swarm holds some fifteen thousand of them."""),
     (3, 'A slow loss', """
In winter a colony uses 20 to 50 grams a day until the end of January, and up to 200 grams once it raises brood.
If the stores shown by the display fall below four kilograms, feed fondant at once."""),
     (2, 'The alarm', """
The alarm lamp blinks when the weight changes by more than one kilogram in ten minutes: a swarm, a robbery, a
fallen branch or a thief. Set the threshold in the menu item ALARM between 0.5 and 5 kilograms.""")],
    [(1, 'Transferring the records', """
The records are plain text and can be read by any spreadsheet."""),
     (2, 'By memory card', """
Insert a card of at most 32 GB, formatted as FAT32. Press COPY. The lamp burns green when the copy is complete;
if it burns red, the card is full or write-protected. The file is called SCALE.CSV and has one line for every
fifteen minutes."""),
     (3, 'Columns of the file', """
The first column is the date and time in UTC, the second the weight in grams, the third the temperature in
tenths of a degree and the fourth the voltage of the batteries in millivolts."""),
     (2, 'By cable', """
Connect the display to a computer with the cable supplied. The scale appears as a drive that cannot be written
to. Copy the file and eject the drive before you pull the plug.""")],
    [(1, 'Care and repair', """
Brush the platform clean twice a year. Never use a pressure washer."""),
     (2, 'Calibration', """
Calibrate once a year, in spring, at about 15 degrees. Put a known weight of at least 50 kg on the middle of the
platform: two sacks of cement, weighed at a builder's merchant, will do. Choose CALIBRATE in the menu, type the
weight and confirm it twice."""),
     (2, 'Troubles and remedies', """
The list below names the faults that owners report most often."""),
     (3, 'The reading drifts', """
Grass or snow touches the platform, or a foot has sunk into the ground. Clear the platform, level it again and
set the zero. If the reading still drifts with the temperature of the day, the probe is not plugged in and the
correction cannot work."""),
     (3, 'Error E3', """
The cell under one corner is overloaded or broken. Take the hive off and set the zero. If E3 remains, send the
platform to the workshop; the display stays with you and keeps its records.""")],
    [(1, 'Guarantee', """
The guarantee runs for three years from the day of sale. It covers the platform, the display and the probe. It
does not cover batteries, damage by leaking cells, or a scale that has been opened."""),
     (2, 'Disposal', """
Batteries and the display belong to the collection of electrical waste. The platform is steel and can be
recycled as scrap.""")],
]


def broken(word, room, width):
    "`word` as `(head with a hyphen, rest)` where a part of it fits into `room`, else None"
    for i in range(len(word) - 3, 2, -1):
        if word.isalpha() and width(word[:i] + '-') <= room: return word[:i] + '-', word[i:]

def lines_of(paragraph, font, size):
    "Lines of `paragraph` set to the width of the page, with long words broken at line ends"
    def width(s): return font.text_length(s, size)
    line, words = '', paragraph.split()[::-1]
    while words:
        word = words.pop()
        longer = f'{line} {word}'.strip()
        if width(longer) <= RIGHT - LEFT:
            line = longer
            continue
        parts = broken(word, RIGHT - LEFT - width(line + ' '), width) if len(word) > 6 else None
        if parts: line, word = f'{line} {parts[0]}', parts[1]
        yield line
        line = word
    if line: yield line

def write_page(doc, sections, number, total):
    "One page of the manual with its running lines; returns its bookmarks"
    page, font, y, marks = doc.new_page(), pymupdf.Font('helv'), TOP, []
    page.insert_text((LEFT, 48), 'Alder Scale 2', fontsize=8)
    page.insert_text((RIGHT - 78, 48), 'Operating Manual', fontsize=8)
    page.insert_text((LEFT, 806), f'Page {number} of {total}', fontsize=8)
    for level, title, text in sections:
        y += 14
        page.insert_text((LEFT, y), title, fontsize=SIZES[level], fontname='hebo')
        where = {'kind': pymupdf.LINK_GOTO, 'to': pymupdf.Point(LEFT, y - SIZES[level])} if level < 3 else None
        marks.append([level, title, number] + ([where] if where else []))
        y += 18
        for paragraph in text.strip().split('\n\n'):
            for line in lines_of(paragraph, font, 10):
                page.insert_text((LEFT, y), line, fontsize=10)
                y += 14
            y += 6
    assert y < BOTTOM, f'page {number} is too full'
    return marks

def make(path):
    "Write the manual to `path`; the same bytes each time with one version of PyMuPDF"
    doc, marks = pymupdf.open(), []
    for number, sections in enumerate(MANUAL, 1): marks += write_page(doc, sections, number, len(MANUAL))
    doc.set_toc(marks)
    date = 'D:20250301120000Z'
    doc.set_metadata({'title': TITLE, 'author': 'Alder Bank Workshop', 'creationDate': date, 'modDate': date})
    doc.save(path, garbage=3, deflate=True, no_new_id=True)

if __name__ == '__main__':
    make(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name('hive-scale-manual.pdf'))
