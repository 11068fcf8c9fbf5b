//! Exact value: an amount, measure, clock time, date, phone number, code, address, URL or version.
//!
//! Ordinals, small counts, relative days and a year alone do not count.

use super::phrases::Phrases;
use super::sentence::Sentence;
use std::sync::LazyLock;

static DIGITS: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&DIGITS_TELLING, &DIGITS_MERE));
static WORDS: LazyLock<Phrases> = LazyLock::new(words);
static CHINESE: LazyLock<Phrases> = LazyLock::new(chinese);

const DIGITS_TELLING: [&str; 17] = [
    // Addresses of pages, mail and machines; paths.
    r"\b[a-z][a-z0-9+.-]*://\S+|\bwww\.\S+|[\w.+-]+@[\w-]+\.[\w.]+|\b[\w-]+\.(?:com|org|net|io|dev|cn|no|de|uk|eu|app|me|co|ai|edu|gov|info)\b",
    // Dates and times.
    r"\d{1,2}:\d{2}|\b\d{1,2}\s?(?:a\.?m\b|p\.?m\b)|\b\d{4}[-/.年]\s?\d{1,2}|\b\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b|\b\d{1,2}/\d{1,2}\b",
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.? (?:the )?\d{1,2}\b",
    r"\b\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b",
    r"\b(?:on |by |until |till |from |before |after |due |is |was )(?:the )?\d{1,2}(?:st|nd|rd|th)\b",
    r"\b(?:at|by|before|after|until|till|from|around|past|to|than|since|for) \d{1,2}(?: ?(?:o'clock|sharp|every|on|in the|tonight|tomorrow|each|for me)|[,.;!]|$)",
    r"\b\d{1,5}[a-z]? (?:[\w']+ ){1,3}(?:street|st|road|rd|avenue|ave|lane|drive|way|boulevard|blvd|court|square|place|terrace|close|crescent|gate|gata|gaten|strasse|straße)\b",
    // Money, share, measure.
    r"[$€£¥￥₩₹]\s?\d|\d\s?[$€£¥￥%％‰°℃℉²³]",
    r"\d\s?(?:usd|eur|gbp|cny|rmb|nok|sek|dkk|chf|jpy|hkd|aud|cad|euros?|dollars?|pounds?|kroner|kronor|yen|yuan|bucks|cents?|francs?|rupees?|percent|per cent|grand|k\b|m\b|bn\b|million|billion|thousand|hundred)",
    r"\d\s?(?:mm|cm|m|km|kg|kgs|g|mg|lbs?|oz|l|ml|dl|cl|ft|feet|foot|in|inch(?:es)?|yards?|miles?|mi|mph|km/h|kmh|kph|kw|kwh|w|v|a|mah|ghz|mhz|hz|gb|tb|mb|kb|mbps|gbps|dpi|px|pt|rpm|bpm|kcal|cal|calories|degrees|celsius|fahrenheit|sqm|m2|hectares?|acres?|litres?|liters?|met(?:re|er)s?|kilomet(?:re|er)s?|centimet(?:re|er)s?|millimet(?:re|er)s?|kilos?|kilograms?|grams?|gallons?|pints?|tons?|tonnes?|stone|square|cubic|minutes?|mins?|min|hours?|hrs?|h|seconds?|secs?|s|ms|years? old|yrs?|yo|months? old|people|guests|seats|copies|units|square feet|bedrooms)\b",
    // Codes: letters with digits, groups with dashes, long numbers, versions.
    r"\b[a-z]{1,10}[-_/#]?\d{2,}[\w-]*\b|\b\d+[a-z]+\d[\w-]*\b|\b\d{2,}[a-z]{1,6}\b|\b[a-z]+\d+[a-z]+[\w-]*\b|\b[a-z]{2,}\d[\w-]*[-_]\w+",
    r"\b\d+(?:[-–]\d+){1,}\b|\+\d[\d ()-]{5,}|\b\d{2,}(?: \d{2,}){1,}\b|\(\d+\) ?\d+",
    r"\bv?\d+\.\d+|\d,\d{3}",
    r"\d{3,}",
    r"#\s?\d+|\d+#",
    r"\b(?:room|gate|seat|row|floor|apartment|apt|flat|unit|number|no\.?|nr\.?|code|age|aged|size|version|v|port|extension|ext|pin|bus|line|platform|suite|channel|locker|table|desk|terminal|track|box|lot|zone|level|route|exit|house|door|building|block|level|temperature|password|passcode|id|turned|weigh|weighs|turning|is|be|to|of|exactly|about|around|budget|limit|maximum|minimum|max|min|quantity|total|score|degrees?) (?:is |are |was |number |at |of )?\d{2,}\b",
    r"\b(?:room|gate|seat|floor|apartment|apt|flat|unit|number|no\.|code|version|v|port|extension|ext|pin|bus|platform|suite|locker|terminal|track|route|exit|size|line|tram|row|house) (?:is |number |no\.? )?\d+\w?\b",
];

const DIGITS_MERE: [&str; 8] = [
    r"\b(?:in|since|from|until|by|of|for|early|late|mid|spring|summer|autumn|fall|winter|back in|year|the) (?:19|20)\d\d(?:s\b|\b)|\b(?:19|20)\d\ds\b",
    r"(?:19|20)\d\d\s?年(?:代|初|底|末|春|夏|秋|冬|上半|下半|前|后|以|[^0-9月 ]|$)",
    r"第\s?\d+",
    r"\b(?:top|step|chapter|page|slide|paragraph|option|plan|point|part|section|item|question|bullet|version) \d{1,2}\b",
    r"\b\d{1,2}(?:st|nd|rd|th) (?:paragraph|sentence|slide|section|line|bullet|point|page|time|option|one|chapter|row|column|grade|floor plan|century)\b",
    r"\b\d (?:times|sentences|paragraphs|options|bullets|points|ideas|examples|words|lines|things|ways|titles|versions|pages|slides|minutes?|questions)\b",
    r"[\s,，。]?\d{1,2}\s?(?:句|段|个|遍|条|点(?:建议|意见|要求|理由)|次|张|页|种|件|本|只|位|名|章|篇)",
    r"\b(?:gpt|claude|iphone|ipad|ipods?|galaxy|pixel|windows|ps|playstation|xbox|model|python|java|html|css|mp|h|web|covid|a|b|c|4k|8k|3d|2d|5g|4g|24/7|b2b|q[1-4]|airbus|boeing|ios|macos|android|ubuntu|debian|fedora|tesla|macbook|surface|thinkpad|formula|catch)[- ]?\d{1,3}(?:\.\d+)?\b|\b(?:24/7|5g|4g|3d|2d|4k|8k|b2b|mp[34]|9/11)\b",
];

const NUMBER_EN: &str = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|half a)";

fn words() -> Phrases {
    let amount = format!(
        r"\b{NUMBER_EN}(?:[- ](?:and )?(?:a )?{NUMBER_EN})* (?:and a half )?(?:euros?|dollars?|pounds?|kroner|kronor|yen|yuan|bucks|cents|francs|rupees|percent|per cent|grand|kilos?|kilograms?|grams?|kilomet\w+|met(?:re|er)s?|centimet\w+|miles?|feet|inches|litres?|liters?|gallons?|degrees|square|million|billion|thousand|hundred|years old|pints?|stone|ounces|acres|hectares)\b"
    );
    let clock = format!(
        r"\b{NUMBER_EN}(?:[- ](?:fifteen|thirty|forty-five|twenty|ten|forty|fifty|oh five))? ?(?:o'clock|a\.?m\.?\b|p\.?m\.?\b|in the (?:morning|afternoon|evening)|at night|sharp)"
    );
    let at = format!(
        r"\b(?:at|by|before|after|until|till|from|around|past) (?:about |exactly |around )?{NUMBER_EN}(?:[- ](?:fifteen|thirty|forty-five))?(?:[,.;!]|$| (?:tomorrow|tonight|today|sharp|on |every|each|for |in the|so|and|instead|at the|with|not|then|pm|am|because|but|if|monday|tuesday|wednesday|thursday|friday|saturday|sunday))"
    );
    let date = format!(
        r"\b(?:the )?(?:{NUMBER_EN}|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth|twenty-\w+|thirty-first)(?: of)? (?:january|february|march|april|may|june|july|august|september|october|november|december)\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december) (?:the )?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w+teenth|twentieth|twenty-\w+|thirtieth|thirty-first)\b"
    );
    let spelled = r"\b(?:code|pin|password|passcode|combination)\b.{0,20}\b(?:is|:) ?(?:one|two|three|four|five|six|seven|eight|nine|zero)\b";
    let dozens = format!(r"\b{NUMBER_EN}(?:[- ]{NUMBER_EN})+\b (?:\w+)");
    Phrases::new(
        &[
            &amount,
            &clock,
            &at,
            &date,
            spelled,
            &dozens,
            r"\b(?:half|quarter|ten|five|twenty) (?:past|to) (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight)\b|\bhalf (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
            r"\b(?:at|by|before|after|until|till|from|past|around|is|be) (?:noon|midnight|midday)\b",
        ],
        &[
            r"\b(?:one|two) hundred percent\b|\bthousand times\b|\bmillion times\b|\bone of\b|\bone or two\b|\btwo or three\b|\bone million ideas\b",
        ],
    )
}

const NUMBER_ZH: &str = "[零〇一二两三四五六七八九十百千万亿半]";

fn chinese() -> Phrases {
    let clock = r"(?:早上|早晨|清晨|上午|中午|下午|傍晚|晚上|夜里|凌晨|半夜|今晚|明早|明晚|今早|每天|每晚|周.|星期.|夜间|后天|明天|今天|早|晚)(?:的)?[零〇一二两三四五六七八九十]{1,3}点|[零〇一二两三四五六七八九十]{1,3}点(?:半|一刻|三刻|钟|整|[零〇一二三四五六七八九十]+分?(?:[^个条种点]|$)|[之以]?前|[之以]?后|开会|开始|出发|起床|睡|到|见|起飞|集合|左右|多|下班|上班|开门|关门|开车|吃|接|来|去|准时|的(?:飞机|火车|高铁|会|票|车|航班|电影|课|闹钟))".to_string();
    let date = format!(
        r"[一二三四五六七八九十]{{1,2}}月(?:[一二三四五六七八九十]{{1,3}}(?:日|号|[^月份个底初中])|初|底)?[一二三四五六七八九十]+(?:日|号)?|(?:农历|阴历|腊月|正月|初){NUMBER_ZH}+|(?:^|[^第编型账帐口符逗句挂番代头信])[一二三四五六七八九十]{{1,3}}号(?:[^楼线门院机馆桌]|$)|[二三]?十[一二三四五六七八九]?号"
    );
    let amount = format!(
        r"{NUMBER_ZH}*(?:[二两三四五六七八九十百千万亿]|半)(?:多|来|几)?(?:块钱?|元|美元|欧元|英镑|日元|港币|公斤|千克|斤|克|吨|厘米|公分|毫米|公里|千米|平米|平方|平|升|毫升|度|英寸|寸|亩|折|%|码|瓦|千瓦|伏|米(?:[^饭粉面色线])|米$|岁|周岁|万|亿|千(?:块|元|克|米)?|分钟|个小时|小时|克拉|兆)|百分之{NUMBER_ZH}+|{NUMBER_ZH}成(?:$|[，。！ 首利])|一米{NUMBER_ZH}+|一(?:千|万|百)(?:块|元|{NUMBER_ZH})|[一二三四五六七八九]百[二三四五六七八九五]"
    );
    let place = format!(r"{NUMBER_ZH}+(?:单元|号楼|号线|栋|幢|层楼|号院|弄)|{NUMBER_ZH}{{2,}}楼");
    let spelled = r"[零〇幺一二三四五六七八九]{3,}";
    Phrases::new(
        &[
            &clock,
            &date,
            &amount,
            &place,
            spelled,
            r"\d\s?(?:元|块|万|亿|千|百|美元|欧元|日元|港币|英镑|公斤|斤|克|吨|厘米|公分|毫米|米|公里|千米|平|升|毫升|度|摄氏|分钟|分|小时|点|时|秒|号|日|月|岁|楼|层|室|栋|幢|单元|弄|寸|英寸|折|瓦|码|卡|千卡|大卡|页|路|号线|成|倍|亩|磅|加仑|毫安|兆|帧|字|周岁|届|人|户|桌|平米|平方)",
            r"(?:编号|单号|密码|验证码|口令|账号|帐号|卡号|尾号|工号|学号|房号|门牌|邮编|代码|车牌|型号|座位|版本|端口|电话|手机号?|身份证|血压|身高|体重|温度|尺码|鞋码|年龄|预算|价格|总价|月租|房租|工资|分机|楼层|房间)[^，。！？]{0,6}\d+",
            r"身高[一二][米百]|凌晨|零点|正午(?:十二)",
        ],
        &[
            r"一点(?:儿|也|都|点|不|没|意思|办法|时间|建议|小|东西|就|吧|，|。|$)|有一点|差一点|[早晚快慢好短长大小多少简轻高低正委些软活]一点|[两三几四五六](?:点(?:建议|意见|要求|理由|原因|想法|问题|说明|感受|注意))",
            r"第[零〇一二两三四五六七八九十百]+(?:点|号|个|段|句|页|章|次|版|天|年|名|条|部分|节)?",
            r"一块(?:儿|去|吃|走|玩|来|做|看)|在一块|千万(?:别|不|要|记|注意)|万一|一千个|成千上万|千方百计|百般|十分|万分|一万个|百分百|百分之百|三心二意|[大小]一号|一半|半天|半路|半年|一度|再度|程度|态度|角度|季度|年度|月度|制度|进度|速度|度假|一折|周折|一号(?:位|人)",
            r"(?:两|三|几|四|五|六)(?:千|万)?(?:个|句|段|遍|次|天|条|张|页|种|件|本|只|位)",
            r"五一|十一(?:长假|假期|黄金周|期间|去|回|放|出)|六一|双十一|七夕|八一|三八|一二线|三四线|六一八",
            r"凌晨(?:好|了|才)|一月|二月(?:份)?$|[一二三四五六七八九十]+月(?:份|初|底|中旬)",
        ],
    )
}

/// Whether a sentence gives an exact value.
pub(super) fn stands_in(sentence: &Sentence<'_>) -> bool {
    let plain = &sentence.plain;
    let digits = plain.bytes().any(|byte| byte.is_ascii_digit());
    if digits && DIGITS.found(plain) || plain.contains('@') && DIGITS.found(plain) {
        return true;
    }
    if sentence.chinese { CHINESE.found(plain) } else { WORDS.found(plain) || DIGITS.found(plain) }
}

#[cfg(test)]
pub(super) fn compiles() -> bool {
    DIGITS.whole(&DIGITS_TELLING, &DIGITS_MERE)
        && WORDS.whole(&["x"], &["x"])
        && CHINESE.whole(&["x"], &["x"])
}
