//! Correction: something said, written or remembered before is wrong.

use super::phrases::{Bilingual, Tables};
use super::sentence::Sentence;
use std::sync::LazyLock;

const EN: Tables<'static> = (&TELLING_EN, &MERE_EN);
const ZH: Tables<'static> = (&TELLING_ZH, &MERE_ZH);
static PHRASES: LazyLock<Bilingual> = LazyLock::new(|| Bilingual::new(EN, ZH));

const TELLING_EN: [&str; 48] = [
    r"^(?:oh |ah |um |er |but )?(?:no|nope|nah)[,.!;:—–-]+ ?(?:no[,.!]+ ?)?(?:that|this|it|i|not|the|her|his|my|she|he|they|we|you|our|their|actually|wrong)\b",
    r"(?:'s|'re|'m|\bis|\bare|\bwas|\bwere|\bhave|\bhad|\bgot|\bam|\bbe|\bbeen|\blooks?|\bseems?|\bsounds?|\bwere)\b.{0,30}\b(?:wrong|incorrect|mistaken|inaccurate|untrue|off by)\b",
    r"\byou(?:'re| are|'ve| have| were| keep| still| always| just| got| had| put| wrote| spelled| made)?\b.{0,30}\b(?:wrong|mistaken|backwards|reversed|mixed|muddled|confus\w+|upside down)\b",
    r"\b(?:wrong|incorrect|mistaken) (?:again|number|name|date|day|person|one|address|place|time|file|city|year|way)\b",
    r"\b(?:not|isn't|wasn't|aren't|ain't|never) (?:quite |entirely |exactly |really )?(?:right|correct|true|accurate|what (?:i|he|she|we|they)\b|how (?:i|it|you)\b|who i\b|the (?:one|right|same)\b)",
    r"\bcorrections?\b",
    r"\b(?:correct|correcting) (?:myself|that|this|you|me if|the record|what|one thing|something|an? )",
    r"\bstand corrected\b",
    r"\b(?:misspoke|mistyped|misread|miscounted|misremember\w*|misstated|miswrote|misheard|mis-?said|misspell\w*|misspelt|mistook|misinterpret\w*|misunderst\w+|misquot\w+|miscalculat\w+|misplaced the)\b",
    r"\b(?:my (?:mistake|bad|error|fault|apologies, it)|slip of the tongue|typo)\b",
    r"\bi (?:said|told you|wrote|gave you|typed|put|sent|quoted|mentioned|entered|had|got|used|picked|copied)\b.{0,20}\bwrong\b",
    r"\bi (?:actually |really |just )?meant\b",
    r"\bi (?:said|asked|told you|wanted|ordered|requested|wrote|mentioned)\b.{1,60}\bnot\b",
    r"\bi (?:didn't|did not|never) (?:say|mean|ask|tell|want you|order|write|mention|said|asked|told|meant|agree[d]?)\b",
    r"\byou(?:'ve| have|'re| are| must have| seem to have| probably| always| just)? ?(?:mixed|mixing|mix|muddled|jumbled|confused|confusing|swapped|switched|reversed|flipped|conflat\w+|misunderst\w+|misheard|misread|mistook|forgot that|overlooked)\b",
    r"\bmix(?:ed|ing)? (?:\w+ ){0,4}up\b",
    r"\b(?:scratch|strike|disregard|ignore|forget) (?:that|this|what i|my (?:last|previous|earlier)|the (?:last|previous|earlier)|everything i)\b",
    r"\btake (?:that|it|this) back\b",
    r"\b(?:let me|allow me to) (?:rephrase|correct|clarify|fix that|start over)\b",
    r"^(?:well,? |no,? |hm+,? |oh,? |ah,? |sorry,? |wait,? |um,? )?actually,? (?:it|its|it's|that|that's|the|her|his|my|their|our|she|she's|he|he's|they|they're|we|we're|there|there's|this|these|those|not|you|i (?:live|work|was|am|have|said|meant|moved|was born|don't)|i'm|\w+ (?:is|was|are|has|lives|works))\b",
    r"(?:\bis|\bwas|\bare|\bwere|'s|'re|'m|\bhas|\bhave|\bnamed|\bcalled|\blives?|\bworks?|\bborn|\bspelled|\bspelt|\bmoved|\bon|\bat|\bin)\b[^,.;?]{1,60}(?:,| -| –|—) ?(?:and |it's |it is )?not (?:\w|')",
    r"^not [\w' ]{1,25}[,;:—–-] ?(?:it's |it is )?[\w' ]{1,25}[.!]?$",
    r"\bnot (?:\w+ ){1,4}?,? ?but (?:rather |actually |in fact )?(?:the |a |an |on |in |at |with )?\w+",
    r"\b(?:it|that|this|which|the \w+|name|number|date|total)(?: \w+)? should (?:have (?:been|said|read)|actually (?:be|say|read)|say|read|instead be)\b",
    r"\bshould be (?:spelled|[\d$€£])",
    r"\b(?:spelled|spelt) (?:with|without|wrong|differently|like)\b",
    r"\b(?:there's|there is|there was|i see|i spotted|i noticed|i found|you made|i made|that's|that was) (?:an?|one|some|my|your) (?:small |little |big |factual |silly )?(?:mistake|error|mix-?up|mistakes|misunderstanding)\b",
    r"\b(?:mistake|error) (?:in|on) (?:my|your|the) (?:last|previous|earlier|message|part|side|summary|note|notes)\b",
    r"\b(?:the other way a?round|vice versa|backwards|in reverse|back to front)\b",
    r"\bthat'?s not (?:my|his|her|our|the|what|how|where|when|who|it|him|mine|me|an?)\b",
    r"\b(?:that|it|this)(?: \w+)? (?:isn't|wasn't|is not|was not) (?:my|his|her|our|what|how|where|when|who|it|him|mine|me|on|in|at)\b",
    r"^you (?:wrote|said|put|noted|saved|recorded|listed|told me|remembered|called|have (?:me|my|him|her|it|the)|had (?:me|my|him|her|it|the))\b",
    r"^(?:oops|whoops|oh no|ugh|wait|wait a minute|hang on|hold on|hmm?|sorry|apologies|pardon)[,.!:—–-]+ ?(?:no[,.]? |i mean|i meant|it's|it is|that's|that should|that was|make that|the \w+ (?:is|was|should)|my \w+ is|wrong|not|it was|he's|she's|we're|there (?:is|are|were|was))",
    r"\b(?:or )?rather,? (?:it's|i mean|make that|the)\b",
    r"\bmake that (?:a |the )?\w+\b",
    r"\b(?:outdated|out of date|out-of-date|no longer (?:true|correct|valid|right|current|accurate|my|the case|applies)|not (?:true|valid|current) any ?more|used to be)\b",
    r"\byour (?:notes?|memory|records?|information|info|data|summary|answer|calendar)(?: \w+)? (?:is|are|has|have|says?|shows?|still)\b",
    r"\bremember(?:ed|ing)? (?:it|that|this|me|him|her|them|my \w+) (?:wrong|incorrectly|differently)\b",
    r"\bgot (?:that|it|this|them|my \w+|the \w+|his \w+|her \w+|\w+'s \w+)(?: \w+)? (?:wrong|backwards|mixed up|the wrong)\b",
    r"\b(?:contrary to|unlike) what i (?:said|told|wrote)\b",
    r"\bwhat i (?:meant|said|wrote|told you)(?: \w+){0,3} (?:was|is|earlier|before|yesterday)\b",
    r"\bi was (?:wrong|mistaken|thinking of|looking at|confusing|off by|referring to the wrong|talking about (?:the|a) (?:other|different))\b",
    r"\bi (?:confused|mixed up|mixed|swapped|transposed|got confused|had it)\b",
    r"\b(?:it|that|he|she|they|we|there) (?:wasn't|weren't|isn't|aren't|didn't|doesn't)\b.{1,50}[,;:—–-]+ ?(?:it|that|he|she|they|we|but)\b",
    r"\binstead of what i\b",
    r"\bthat came out wrong\b",
    r"\b(?:last time|earlier|before|yesterday) i (?:said|told you|wrote|gave you)\b.{1,60}\b(?:but|actually|wrong|should|it's|changed)\b",
    r"\bi'?m (?:not|no) (?:an? )?\w+(?: \w+)?,? i'?m\b",
];

const MERE_EN: [&str; 19] = [
    r"\bno[,.]? (?:that's|that is|it's|this is|i'm|you're) (?:all|fine|ok|okay|it|good|enough|alright|great|perfect|everything)\b",
    r"\bno[,.]? (?:i|you|we) (?:don't|do not|can't|won't|didn't|haven't) (?:need|want|have to|think so|know|mind)\b",
    r"\bno[,.]? (?:you can|you may|you need not|i think|i'm not sure|i will|i'll|i am fine|not (?:yet|now|today|really|at the moment|necessarily))\b",
    r"\b(?:what's|what is|what was|what went|what could go|something(?:'s| is| went)?|anything|nothing(?:'s| is)?) wrong\b",
    r"\b(?:correct me if|if i'm wrong|if i am wrong|if that's wrong|tell me if|let me know if|unless i'm mistaken|if i'm not mistaken)\b",
    r"\bnot only\b",
    r"\bnot (?:sure|just|yet|so|very|really|too|even|much|necessarily|now|today|that (?:much|bad|good)|bad)\b",
    r"\bthat's not (?:a|an|the) (?:problem|issue|bad|point|big|end)\b",
    r"\bwhy not\b",
    r"\bif not\b",
    r"\bwhether or not\b",
    r"\bcorrection (?:fluid|tape|pen)\b",
    r"\b(?:check|look|proofread|scan|search) (?:\w+ ){0,4}(?:for )?(?:typos?|errors?|mistakes?)\b",
    r"\b(?:any|fix|find|the) (?:typos?|mistakes)\b",
    r"\bignore (?:that|this) (?:feeling|noise)\b",
    r"\bnever ?mind\b",
    r"\bused to be(?: \w+)? (?:better|worse|cheaper|fun)\b",
    r"\bforget (?:that|this) i\b",
    r"\bit (?:isn't|wasn't) (?:easy|hard|bad|much)\b",
];

const TELLING_ZH: [&str; 34] = [
    r"不对(?:[，,。！!、 ]|$|的|啊|吧|了|哦|呀|，)",
    r"(?:弄|搞|记|写|说|听|看|打|算|认|填|输|发|读|传|标|订|想|讲|抄|数|选|改|理解|翻译|拼|报|猜|叫|贴|给|拿|存|归|排|引用|会)(?:错|反|混|岔|颠倒|串|漏|偏)",
    r"(?:^|[，,。！ ]|是|又|都|全|也|还是|就|名字|地址|日期|时间|金额|数字|号码|这里|那里|这个|那个|不|日子|年份|地方|单位)错(?:了|啦|的|误|，|。|$)",
    r"有(?:个)?(?:误|错|错误|问题，应该|出入|偏差)",
    r"更正|纠正|订正|勘误|修正一下|改口|澄清",
    r"不是(?:这个|那个|这|那|我(?:要|想|的|说|指|问|让))(?:个)?(?:意思|样|东西|回事|人|，|。|要|说|想|问|的)?",
    r"(?:误会|误解|会错意|曲解|弄拧|张冠李戴|混为一谈|混淆|搞乱)",
    r"(?:不准确|不正确|不属实|不符|不一致|不实|不一样，|没有这回事|没这回事|不是这么回事|不是这样|并非如此|不是那样)",
    r"口误|笔误|手误|手滑|嘴瓢|错别字|打快了",
    r"我(?:说|指|问|要|讲|想要|想说|提|点|订|选|写|想问|让你.{1,8}|叫你.{1,8}|要你.{1,8})的(?:明明)?(?:是|可是|不是|就是)",
    r"我的意思是|我是说|我是想(?:问|说)|我本来想|我想表达|我原意|我明明",
    r"不是[^，。？！吗呢]{1,16}[，,、 ]?(?:而是|是|应该是|应是|要|得是|该是)",
    r"是[^，。？！吗呢不]{1,20}[，,、 ](?:而|并)?不(?:是|叫|姓|在)",
    r"叫[^，。？！]{1,12}[，,、 ]?(?:而|并)?不(?:叫|是)",
    r"(?:姓|在|住|属|到|去|给|跟|用|生于|念|读)[^，。？！]{1,12}[，,、 ](?:而|并)?不(?:是|姓|在|住|属|到|去|给|跟|念|读)",
    r"(?:上次|刚才|刚刚|之前|前面|昨天|先前|方才|早上)(?:我)?(?:说|讲|写|给|发|提|报)的?.{0,12}(?:不算|作废|错|不对|有误|不准|收回|别管|忽略|改|不是)",
    r"收回|当我没说|(?:忽略|无视|别管|别理|不要管)(?:我)?(?:刚才|上一|前面|刚刚|之前|上面|那)",
    r"其实.{0,8}(?:是|叫|应该|姓|住在|不是|在|有|没)",
    r"^(?:不|不是|不不|不不不|错|不对不对|没有)[，,。！! ]",
    r"^(?:等等|等下|等一下|哦不|啊不|哎呀|慢着|且慢|抱歉|对不起|不好意思)[，,。！! ]?.{0,6}(?:不|错|应该|是我|其实|更|改)",
    r"(?:没|没有|从没|从来没|并没|并没有|未曾)(?:这么|那么|这样)?(?:说过|说|让你|叫你|要你|讲过|答应|提过|同意过)",
    r"(?:应该|应当|本该|理应|实际上?|事实上|准确(?:地)?说|确切(?:地)?说|正确的)(?:写成|写作|读作|叫|念|就)?(?:是|为|应)",
    r"你(?:又|还是|怎么又|老是|总是|怎么|是不是|肯定|好像|都|可能)?(?:记|搞|弄|说|写|理解|听|看|想|算)(?:得)?(?:不对|有误|错|反|混|漏)",
    r"改(?:回去|回来|回原)",
    r"(?:早就|已经)?(?:过时|过期|作废)(?:了)?[，。]?.{0,6}(?:新|现在|改|应)",
    r"哪(?:里|儿)?是.{1,10}[，,]?(?:明明|是|分明)",
    r"明明(?:是|说|写|在|叫)",
    r"(?:不止|不到|没有)[^，。]{1,10}[，,](?:是|只有|有)",
    r"(?:写|说|记|算|报|少|多|漏)(?:多|少|漏|掉|写|算|记|报|说)了",
    r"(?:多|少|漏)(?:写|算|记|打|说|报|填|加|数)了?",
    r"(?:那|这)(?:是|都是|个是)?(?:去年|以前|旧|老|上次|过去|别人|他|她)(?:的)?.{0,8}[，,。](?:不|现在|别|我|今年)",
    r"重(?:新)?说一(?:遍|下)|说(?:反|岔|漏)了",
    r"不(?:叫|姓|住在|在)[^，。？！]{1,12}[，,、 ]?(?:而)?(?:叫|姓|住在|在|是)",
    r"对不上|搞乌龙|乌龙|弄拧了|搞颠倒",
];

const MERE_ZH: [&str; 14] = [
    r"不对(?:劲|称|外|等|付|口)|对不对|不对吗",
    r"不错|没错|错过|错落|错愕|交错|错觉|有没有错|没什么错",
    r"错别字检查|(?:检查|找|看看|改改?|修改|纠正)(?:一下)?(?:有没有|里面的|文中的|其中的|里的|语法)?(?:错别字|错误|语病)",
    r"听错了吗|是不是错",
    r"不是吗|是不是|要不是|还不是|不是很|不是太|不是特别|不是所有|不是每",
    r"发混|混合|混搭",
    r"没说(?:什么|完)",
    r"想偏(?:爱)|偏好|偏爱|偏向|偏甜|偏咸|偏冷",
    r"(?:如果|万一|要是|假如|怕|担心|以免|免得|别|不要|避免|防止).{0,6}(?:弄|搞|记|写|说|听|看|打|算|发|填)错",
    r"漏水|漏电|漏斗|遗漏",
    r"怎么(?:应该|实际)",
    r"反(?:正|而|应|对|映|复|馈)",
    r"给反馈",
    r"其实(?:我)?(?:很|挺|蛮|也|就|还)(?:好|喜欢|想)",
];

/// Whether a sentence corrects something.
pub(super) fn stands_in(sentence: &Sentence<'_>) -> bool {
    if sentence.question && !tells_though_asking(&sentence.plain) {
        return false;
    }
    PHRASES.found(sentence)
}

/// "Didn't I say Thursday?" corrects in the form of a question.
fn tells_though_asking(plain: &str) -> bool {
    [
        "didn't i",
        "did i not",
        "i said",
        "我不是说",
        "不是说了",
        "你又",
        "怎么又",
        "搞错",
        "弄错",
        "记错",
    ]
    .iter()
    .any(|cue| plain.contains(cue))
}

#[cfg(test)]
pub(super) fn compiles() -> bool {
    PHRASES.whole(EN, ZH)
}
