"Plain texts that show their titles in ways of their own: AsciiDoc, wiki texts, manual pages; and roles in titles."
import re
from pathlib import Path
import pytest
from hypothesis import given, settings, strategies as st
from litesearch.asciidoc import asciidoc_markdown
from litesearch.data import read_file
from litesearch.manpage import manpage_markdown, page_name
from litesearch.rst import rst_markdown
from litesearch.section import scan_headings

def heads(md): return [(h.level, h.title) for h in scan_headings(md or '')]
def words(text): return re.findall(r'\w+', text)

ADOC = '''= Keeping Bees

[[begin]]
== How to begin

Buy a hive, or build one:

----
# no title
$ make hive
== no title
Still none
----------
----

[source,sh]
....
$ fly
....

=== Wood
Oak lasts.

== See https://hive.example/a[the list] ==
Over.
'''

def test_asciidoc():
    want = [(1, 'Keeping Bees'), (2, 'How to begin'), (3, 'Wood'), (2, 'See the list')]
    assert heads(asciidoc_markdown(ADOC)) == want
    assert asciidoc_markdown(ADOC.replace('\n', '\r\n')) == asciidoc_markdown(ADOC)
    plain = ADOC.replace('https://hive.example/a[the list]', 'the list')
    assert words(asciidoc_markdown(plain)) == words(plain)

def test_a_listing_between_lines_has_no_titles():
    text = ('hive(7)\n=======\n\nNAME\n----\nhive - keep bees\n\nUSE\n---\nFirst\n\n---------\n$ buy one\n---------\n\n'
            'then\n\n---------\n$ fly away now\n---------\n')
    assert heads(asciidoc_markdown(text)) == [(1, 'hive(7)'), (2, 'NAME'), (2, 'USE')]

def test_an_open_block_hides_nothing():
    assert heads(asciidoc_markdown('== A\n\n======\ntext\n\n== B\n\ntext\n')) == [(2, 'A'), (2, 'B')]

@pytest.mark.parametrize('text', ['Title\n=====\n\nOne\n---\n\ntext\n', 'a\n== b\n== c\n', 'plain\n', '',
                                  '===== run =====\n\ntext\n\n======= end =======\n', 'Name  Size\n----------\na  1\n'])
def test_no_asciidoc(text): assert asciidoc_markdown(text) is None

@settings(deadline=None)
@given(st.lists(st.sampled_from(['== A', '=== B', 'C\n=', 'Dd\n--', '----', '....', 'text', '', '', '[[x]]', '--o::', '```',
                                 '|===', '# no', '====']), max_size=25).map('\n'.join))
def test_asciidoc_loses_no_words(text):
    md = asciidoc_markdown(text)
    assert md is None or words(md) == words(text)

# ---- manual pages

MAN = '''HIVE(1)                        User Commands                        HIVE(1)

NAME
       hive - keep bees

DESCRIPTION
       A hive is
# a box
       for bees.

   Its parts
       Floor and roof.

FILES
       /etc/hive          what
       it is

Apiary 2.0                        May 2020                          HIVE(1)
'''

def test_manual_page(tmp_path):
    md = manpage_markdown(MAN)
    assert heads(md) == [(1, 'NAME'), (1, 'DESCRIPTION'), (2, 'Its parts'), (1, 'FILES')]
    assert words(md) == words(MAN)
    (tmp_path/'hive.txt').write_text(MAN)
    out = read_file(tmp_path/'hive.txt')
    assert (out.title, out.mode) == ('HIVE(1)', 'markdown')

def test_letters_printed_twice():
    bold = re.sub(r'NAME|FILES', lambda m: ''.join(f'{c}\b{c}' for c in m[0]), MAN)
    assert manpage_markdown(bold) == manpage_markdown(MAN) == manpage_markdown(MAN.replace('NAME', '\x1b[1mNAME\x1b[0m'))

@pytest.mark.parametrize('text,name', [
    ('Hive Manual(1)    General    Hive Manual(1)\n\nNAME\n     hive - keep\n', 'Hive Manual(1)'),
    ('KEEP-ALL.SERVICE(8)keep-all.serviceKEEP\n\nNAME\n       keep-all,\n       keep - keeps\n', 'keep-all'),
    ('HIVE(1)  Befehle  HIVE(1)\n\nBEZEICHNUNG\n     hive - Bienen\n', 'HIVE(1)'),
    ('My notes on HIVE(1)\n\nNAME\n', None), ('NAME\n\nA list of names - all of them\n', None), ('', None)])
def test_names_of_manual_pages(text, name): assert page_name(text) == name

# ---- roles in titles

@pytest.mark.parametrize('title,seen', [
    (':mod:`hive` --- Keep bees', 'hive --- Keep bees'), ('The :meth:`~hive.Bee.fly` method', 'The fly method'),
    ('See :ref:`the list <all-of-it>`', 'See the list'), (':py:class:`!Bee`', 'Bee'),
    ('``:mod:`` and more', '`:mod:` and more'), (':meth:`__init__`', '`__init__`')])
def test_roles_of_other_programs(title, seen):
    assert heads(rst_markdown(f'{title}\n{"=" * len(title)}\n\ntext\n')) == [(1, seen)]
