"Lines of authors, as people and programs write them."
import pytest
from hypothesis import given, strategies as st
from litesearch.authors import OTHERS, parse_names, shown_name
from litesearch.facts import real_names

def shown(value): return [shown_name(o, 'family') for o in parse_names(value)]

LINES = [
    ('Ann Smith, MA, Ben Lee, MSc', ['Smith, Ann', 'Lee, Ben']), ('Smith, John, PhD, and Doe, Jane, MD', ['Smith, John', 'Doe, Jane']),
    ('John Smith PhD, Jane Doe MD', ['Smith, John', 'Doe, Jane']), ('Jane Doe, M.A.', ['Doe, Jane']), ('Smith, MA', ['Smith, MA']),
    ('Ann Lee, Jr., PhD', ['Lee, Ann, Jr.']), ('Dr. Ann Lee', ['Lee, Ann']), ('Lee, Dr. Ann', ['Lee, Ann']), ('Dr. Seuss', ['Seuss, Dr.']),
    ('Prof. Dr. med. Hans Müller', ['Müller, Hans']), ('Prof. Ann Lee and Dr. Bo Ek', ['Lee, Ann', 'Ek, Bo']), ('Dr.-Ing. Bo Ek, MBA', ['Ek, Bo']),
    ('Anna Müller und Bernd Koch', ['Müller, Anna', 'Koch, Bernd']), ('Marie Curie et Pierre Curie', ['Curie, Marie', 'Curie, Pierre']),
    ('Juan Pérez y Ana Gómez', ['Pérez, Juan', 'Gómez, Ana']), ('José Ortega y Gasset', ['Ortega y Gasset, José']),
    ('João Silva e Maria Costa', ['Silva, João', 'Costa, Maria']), ('Peter de Vries en Jan de Boer', ['de Vries, Peter', 'de Boer, Jan']),
    ('Müller, A. und Koch, B.', ['Müller, A.', 'Koch, B.']), ('Müller, A., Koch, B. und Oz, C.', ['Müller, A.', 'Koch, B.', 'Oz, C.']),
    ('Anna Koch, Bo Ek und Cy Oz', ['Koch, Anna', 'Ek, Bo', 'Oz, Cy']), ('Anna Koch (Hrsg.) und Bo Ek (Hrsg.)', ['Koch, Anna', 'Ek, Bo']),
    ('Smith MA, Lee B, Koch CD', ['Smith, M. A.', 'Lee, B.', 'Koch, C. D.']), ('Ann Lee (MIT), Bo Ek (ETH)', ['Lee, Ann', 'Ek, Bo']),
    ('By Ann Lee', ['Lee, Ann']), ('Ann Lee et al.', ['Lee, Ann', 'et al.']), ('Ana María Ruiz y otros', ['Ruiz, Ana María', 'et al.']),
    ('Anna Koch u. a.', ['Koch, Anna', 'et al.']), ('Lee, Ann; Ek, Bo', ['Lee, Ann', 'Ek, Bo']), ('Phil Lee and Mag Ek', ['Lee, Phil', 'Ek, Mag']),
    ('Bundesministerium für Bildung und Forschung', ['Bundesministerium für Bildung und Forschung']),
    ('Securities and Exchange Commission', ['Securities and Exchange Commission']), ('World Health Organization', ['World Health Organization']),
    ('Organisation de Coopération et de Développement Économiques', ['Organisation de Coopération et de Développement Économiques'])]

@pytest.mark.parametrize('line,names', LINES)
def test_a_line_of_authors(line, names):
    assert shown(line) == names
    assert shown(real_names(line)) == names   # as a file tells them

def test_lists_and_dicts():
    assert shown(['Ann Lee', 'MA', 'Anna Koch und Bo Ek', dict(family='Oz', given='Cy'), 'et al.']) == ['Lee, Ann', 'Koch, Anna', 'Ek, Bo', 'Oz, Cy', 'et al.']
    assert parse_names(['others']) == [OTHERS] and parse_names([None, 3, {}]) == parse_names(7) == []

@given(st.text(st.sampled_from('Aa ,.;&()-yé und et PhDMA'), max_size=60))
def test_no_line_is_too_odd(line):
    assert all(isinstance(o, str) and o for o in shown(line))
