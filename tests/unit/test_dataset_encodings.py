"""Short tables as they are met: the fewer the letters, the harder their encoding is to tell."""

import pyarrow as pa
import pytest

from core.errors import AuditInputError
from core.tables import ReadOptions, read_dataset
from core.tables.encodings import is_utf8
from tests.cases.table import holds_for_each, says

KOREAN = (
    "이름,나이\n홍길동,30\n",
    "성별\n남\n여\n",
    "name,sex\nHong,남\nKim,여\n",
    "name,age\n홍**,30\n",
    "name,age\n황**,30\n",
    "id,진단\n1,고혈압\n",
    "환자번호,주소,전화\n00123,서울특별시 강남구 역삼동,010-1234-5678\n",
    "검사명,단위,결과\n혈당,㎎/㎗,101\n체온,℃,36.5\n",
    "id,note\n1,환자 상태 양호함. 3개월 후 재방문\n2,\n",
    "병원,과\n세브란스병원,흉부외과\n삼성서울병원,소아청소년과\n",
    "a,b\n1,2\n" * 200 + "3,최\n",
    "이름,특이\n펲시,똠방각하\n김철수,정상\n박영희,정상\n",
    "성명,漢字\n김영수,金英洙\n이민호,李敏鎬\n",
)
SLOVENIAN = (
    "ime;priimek\nJanez;Kovač\n",
    "ime;priimek\nŽiga;Šuštar\n",
    "id;spol\n1;moški\n2;ženska\n",
    "kraj\nČrnomelj\nŠkofja Loka\n",
    "priimek\nBučar\n",
    "priimek\nHočevar\nZupančič\nPotočnik\nGolob\n",
    "ime,kraj\nTomaž,Koper\n",
    "ime,kraj\nMatjaša,Kranj\n",
    "ulica\nPrešernova 5\nČopova 3\n",
    "diagnoza;zdravilo\nsladkorna bolezen tipa 2;metformin\npovišan krvni tlak;ramipril večerni odmerek\n",
    "ime;kraj\nĐorđe;Ćuprija\nMarković;Niš\n",
    "ČŠŽ;čšž\nČ;š\n",
    "id;opomba\n" + "1;brez\n" * 500 + "2;nič posebnega\n",
    "zdravnik\ndr. Jože Čeh\n",
    "poklic\nučiteljica\nnatakar\nvzgojiteljica\nmehanik\n",
    "zakonski stan\nporočen\nločen\nvdovec\n",
    "izobrazba\nsrednješolska\nvisokošolska\n",
)
OTHER_CENTRAL = (
    "jméno;město\nJiří Dvořák;Plzeň\nLucie Němcová;Ústí nad Labem\n",
    "imię;miasto\nŁukasz Wójcik;Gdańsk\nMałgorzata Zając;Łódź\n",
    "név;város\nKovács Győző;Győr\nSzűcs Ernő;Hódmezővásárhely\n",
    "meno;obec\nĽubomír Šťastný;Žilina\nJán Čierny;Košice\n",
)
WESTERN = (
    "nom;ville\nLefèvre;Genève\n",
    "nom;prénom\nMolière;François\nBéranger;Hélène\n",
    "name;ort\nMüller;Köln\nGroß;Düsseldorf\n",
    "name;ort\nMüller;Ulm\n",
    "nombre;ciudad\nMuñoz;Cádiz\nPeña;Málaga\n",
    "nome;città\nNicolò;Forlì\n",
    "nome;cidade\nJoão Magalhães;São Paulo\n",
    "navn;by\nSøren Kjær;Århus\nBjørn;Tromsø\n",
    "namn;ort\nÅsa Öberg;Malmö\n",
    "value;unit\n5;µg/l\n37,1;°C\n2;cm²\n3;m³\n",
    "naam;stad\nZoë;België\n",
    "boisson\ncafé crème\nthé à la menthe\n",
)


JAPANESE = (
    "氏名,病名\n田中太郎,糖尿病\n佐藤花子,高血圧\n",
    "患者番号,氏名,ふりがな,住所\n00123,鈴木一郎,すずき いちろう,東京都千代田区丸の内1-1\n",
    "診療科,備考\n内科,3か月後に再診\n小児科,\n",
    "商品,価格\nコーヒー,350\nサンドイッチ,480\n",
    "a,b\n1,2\n" * 200 + "3,山田健太様\n",
    "検査,単位,値\n血糖,mg/dL,101\n体温,℃,36.5\n血圧,㎜Hg,128/82\n",
)
CHINESE = (
    "姓名,诊断\n王伟,糖尿病\n李秀英,高血压\n",
    "编号,地址\n00123,北京市朝阳区建国路88号\n00124,上海市浦东新区世纪大道\n",
    "科室,备注\n内科,三个月后复诊。病情稳定，继续服药\n儿科,\n",
)
TRADITIONAL = (
    "姓名,診斷\n陳美玲,糖尿病\n林志明,高血壓\n",
    "編號,地址\n00123,臺北市信義區市府路1號\n00124,高雄市苓雅區\n",
    "科別,備註\n內科,三個月後回診。病情穩定，繼續服藥\n兒科,\n",
)
UNICODE = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
MORE_WESTERN = ("a;b\n„Größe“;5 €\n", "a;b\nœuvre – café;1\n")
ENCODED = {
    "cp949": KOREAN,
    "cp932": JAPANESE,
    **dict.fromkeys(("euc_jp", "iso2022_jp"), JAPANESE[:-1]),
    **dict.fromkeys(("gb18030", "gbk"), CHINESE),
    "cp950": TRADITIONAL,
    "cp1250": (*SLOVENIAN, *OTHER_CENTRAL),
    "iso8859-2": SLOVENIAN,
    "latin-1": WESTERN,
    "cp1252": (*WESTERN, *MORE_WESTERN),
    **dict.fromkeys(UNICODE, (*KOREAN, *SLOVENIAN, *WESTERN)),
}


@pytest.mark.parametrize("encoding", ENCODED)
def test_read_dataset__reads_tables_of_many_countries(encoding):
    def holds(text):
        dataset = read_dataset(text.encode(encoding), name="t.csv")
        plain = read_dataset(text.encode(), name="t.csv")
        assert dataset.table.equals(plain.table), dataset.reading.summary

    holds_for_each(ENCODED[encoding], holds)


def problem(data: bytes, **options: str) -> str:
    with pytest.raises(AuditInputError) as caught:
        read_dataset(data, name="t.csv", options=ReadOptions(**options))
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


HALF = "이름,병명\n홍길동,고혈압\n김영희,당뇨병\n".encode("cp949") + b"\xc0\xcc,\xb0\n" + b"a,b\n"
MIXED = [
    ("ime\nŽiga\nŠpela\n".encode() + "Tomaž\n".encode("cp1250"), "", "mixes…line 4 is not UTF-8…2 "),
    ("이름\n홍길동\n".encode("cp949") + "김영희\n".encode(), "", "mixes…line 3 is UTF-8…2 "),
    (HALF, "", "Korean text in CP949, but line 4"),
    ("a\nb\nč\n".encode("cp1250"), "utf-8", "line 3 is not valid UTF-8."),
    (b"a\nb\n", "utf-16", "line 1 is not valid utf-16."),
    (b"a\nb\n\xe8\n", "cp949", "line 3 is not valid CP949 / EUC-KR (Korean)."),
]


def test_read_dataset__names_the_line_where_an_encoding_fails_and_obeys_a_chosen_one() -> None:
    def holds(data, encoding, pieces):
        assert says(problem(data, **({"encoding": encoding} if encoding else {})), "t.csv: …" + pieces)

    holds_for_each(MIXED, holds)
    data = "ime\nKovač\n".encode("cp1250")
    options = ReadOptions(encoding="latin-1")
    assert read_dataset(data, name="t.csv", options=options).table["ime"].to_pylist() == ["Kovaè"]
    assert is_utf8(pa.py_buffer("č".encode() * 10_000))
    assert not is_utf8(pa.py_buffer("č".encode() * 10_000 + b"\xe8"))


WEST_WITH_CARONS = (
    "name,age\nHåkan Ström,37\nŠimon Škoda,64\nŽiga Müller,76\nÅsa Öberg,19\n" * 10,
    "name\nSøren Kjær\nŠárka\nŽofia\nBjørn\n",
    "name\nIbáñez Núñez\nŠimek\nMuñoz\n",
    "naam\nRenée\nŽeljko\nMačkoš\n".replace("č", "c") + "Håkon\n",
)
CENTRAL_WITH_SOME_WEST = (
    "ime;priimek\nŽiga;Kovačič\nFrançois;Šuštar\nČrt;Hočevar\n",
    "meno\nĽubomír\nŠtefan\nĺ\nČernák\nstĺp\n",
    "name\nŠimon\nŽiga\nTomaž\n",
)


@pytest.mark.parametrize("words", WEST_WITH_CARONS)
def test_read_dataset__takes_carons_beside_western_letters_for_windows_1252(words: str) -> None:
    dataset = read_dataset(words.encode("cp1252"), name="t.csv")
    assert dataset.reading.options.encoding == "cp1252"
    assert dataset.table.equals(read_dataset(words.encode(), name="t.csv").table)


@pytest.mark.parametrize("words", CENTRAL_WITH_SOME_WEST)
def test_read_dataset__takes_carons_beside_central_letters_for_windows_1250(words: str) -> None:
    assert read_dataset(words.encode("cp1250"), name="t.csv").reading.options.encoding == "cp1250"


@pytest.mark.parametrize("encoding", ["cp1252", "cp1250", "latin-1", "cp949"])
@pytest.mark.parametrize(
    "words", [WEST_WITH_CARONS[0], "ime\nŽiga\n", "\ufeffname\nAnn\n", "이름\n김민지\n이서연\n"]
)
def test_read_dataset__reads_utf8_as_such_whatever_is_asked_for_another_file(
    words: str, encoding: str
) -> None:
    dataset = read_dataset(words.encode(), name="t.csv", options=ReadOptions(encoding=encoding))
    assert dataset.table.equals(read_dataset(words.encode(), name="t.csv").table)
    assert len(dataset.reading.notes) - ("Only one column" in str(dataset.reading.notes)) == 1


@pytest.mark.parametrize(
    ("words", "written", "encoding"),
    [
        ("name\nHåkan\n", "cp1252", "cp1252"),
        ("name\nAnn\n", "utf-8", "latin-1"),
        ("name\n홍길동\n", "cp949", "cp949"),
    ],
)
def test_read_dataset__reads_other_files_as_asked(words: str, written: str, encoding: str) -> None:
    dataset = read_dataset(words.encode(written), name="t.csv", options=ReadOptions(encoding=encoding))
    assert dataset.reading.options.encoding == encoding
    assert not any("UTF-8" in str(note) for note in dataset.reading.notes)
