"""Common names of people and words of addresses: small lists, to recognize a column of them.

A column is judged by the share of its values that look like names, so a list needs the common
ones, not all: the most frequent given names and surnames of English-speaking countries, and of Slovenia
(statistical office, most frequent names). Korean surnames and words are in :mod:`core.korean`.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH_GIVEN_NAMES = _words(
    "james john robert michael william david richard joseph thomas charles christopher daniel matthew "
    "anthony mark donald steven paul andrew joshua kenneth kevin brian george edward ronald timothy jason "
    "jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon benjamin samuel "
    "gregory frank alexander raymond patrick jack dennis jerry tyler aaron jose henry adam douglas nathan "
    "peter zachary kyle walter harold jeremy ethan carl keith roger gerald christian terry sean arthur "
    "austin noah lawrence jesse joe bryan billy jordan albert dylan bruce willie gabriel alan juan logan "
    "wayne ralph roy eugene randy vincent russell louis philip bobby johnny bradley luis carlos oliver "
    "harry leo oscar charlie alfie mary patricia jennifer linda elizabeth barbara susan jessica sarah "
    "karen lisa nancy betty sandra margaret ashley kimberly emily donna michelle carol amanda melissa "
    "deborah stephanie dorothy rebecca sharon laura cynthia amy kathleen angela shirley brenda emma anna "
    "pamela nicole samantha katherine christine helen debra rachel carolyn janet maria catherine heather "
    "diane olivia julie joyce victoria ruth virginia lauren kelly christina joan evelyn judith andrea "
    "hannah megan cheryl jacqueline martha madison teresa gloria sara janice ann kathryn abigail sophia "
    "frances jean alice judy isabella julia grace amber denise danielle marilyn beverly charlotte natalie "
    "theresa diana brittany doris kayla alexis lori tiffany sophie chloe mia ava ella lily freya isla "
    "poppy daisy jane claire fiona bob tom tim jim mike dave steve kate liz"
)
ENGLISH_SURNAMES = _words(
    "smith johnson williams jones garcia miller davis rodriguez martinez hernandez lopez gonzalez "
    "wilson anderson thomas taylor moore jackson martin lee perez thompson harris sanchez clark "
    "ramirez lewis robinson walker allen wright scott torres nguyen flores adams "
    "nelson baker rivera campbell mitchell carter roberts gomez phillips evans turner diaz parker "
    "cruz edwards collins reyes stewart morris morales murphy cook rogers gutierrez ortiz morgan cooper "
    "peterson bailey reed kelly howard ramos kim cox ward richardson watson brooks chavez james "
    "bennett mendoza ruiz hughes alvarez castillo sanders patel myers ross foster jimenez "
    "davies powell jenkins perry russell sullivan bell coleman butler henderson barnes fisher vasquez "
    "simmons jordan patterson murray ford graham wallace shaw palmer webb simpson ellis hunt mason chapman "
    "khan ali singh clarke jameson"
)
SLOVENIAN_GIVEN_NAMES = _words(
    "franc marko janez andrej ivan anton luka jozef joze peter matej tomaz milan bojan gregor stanislav "
    "rok miha ales jan matjaz igor primoz jaka zan nejc boris dejan uros blaz ziga branko bostjan miran "
    "alojz mitja zoran roman stefan anze darko simon jure klemen martin vladimir dusan jernej sasa aljaz "
    "gasper urban tadej jakob david nik tilen lovro maks vid filip aleksander slavko sandi ludvik drago "
    "srecko zvonko marija ana maja irena mojca mateja nina natasa barbara andreja eva petra jozefa katja "
    "anja spela katarina tanja milena tina sonja nika vesna alenka sara martina marjeta ivana majda urska "
    "tjasa zala ema franciska franciska helena kristina nada dragica marta simona darja suzana sabina "
    "danica lara neza polona alojzija angela ivanka marjana jasna marjanca terezija julija hana lana "
    "lucija klara neja manca metka jana zdenka olga karmen lidija ksenija bernarda valentina monika "
    "patricija tamara anica rozalija pia brigita breda slavica antonija stanislava ajda zoja"
)
SLOVENIAN_SURNAMES = _words(
    "novak horvat kovacic krajnc zupancic potocnik kovac mlakar vidmar kos golob turk kralj bozic zupan "
    "korosec bizjak hribar kotnik rozman kavcic kastelic petek oblak zagar hocevar kolar kosir koren zajc "
    "klemencic medved knez pirc zupanc hrovat petric lah kuhar pavlic zorko erjavec sever uhan jerman "
    "majcen pusnik tomazic kranjc dolenc babic vidic jereb cerne kocjan kuzma logar bezjak blatnik "
    "gregoric jug hren jenko leban lesjak likar lipovsek mihelic miklavc perko pecnik podgornik resnik "
    "rupnik simonic skof stopar sajovic tratnik trampus urbancic vovk zadravec zalar zavrl zver znidarsic "
    "bevc breznik debeljak dolinar fras furlan primozic kosmac markovic petrovic jovanovic nikolic hodzic "
    "kaucic lamut pintar zeleznik"
)

ENGLISH_STREET_WORDS = _words(
    "street st avenue ave road rd lane ln drive dr boulevard blvd court ct way place pl square sq terrace "
    "parkway pkwy highway hwy apt apartment unit suite circle trail row crescent close gardens grove mews"
)
SLOVENIAN_STREET_WORDS = _words("ulica ul cesta c pot trg nabrezje naselje drevored steza prehod klanec vas")

KOREAN_REGIONS = _words(
    "서울 부산 대구 인천 광주 대전 울산 세종 경기 강원 충북 충남 전북 전남 경북 경남 제주 서울특별시 "
    "부산광역시 대구광역시 인천광역시 광주광역시 대전광역시 울산광역시 세종특별자치시 경기도 강원도 "
    "강원특별자치도 충청북도 충청남도 전라북도 전북특별자치도 전라남도 경상북도 경상남도 제주도 "
    "제주특별자치도"
)
US_STATES = _words(
    "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho "
    "illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota "
    "mississippi missouri montana nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah "
    "vermont virginia washington wisconsin wyoming"
)
SEX_VALUES = _words("m f male female man woman 남 여 남성 여성 남자 여자 moski zenska moški ženska ž z")
MARITAL_VALUES = _words(
    "single married divorced widowed separated 기혼 미혼 이혼 사별 samski samska porocen porocena razvezan "
    "razvezana vdovec vdova poročen poročena"
)
RACE_VALUES = _words(
    "white black asian native hispanic nonhispanic caucasian african-american hawaiian latino"
)
