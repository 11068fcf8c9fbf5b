//! Preference: a lasting like, dislike, habit or rule for how the person wants to be treated.

use super::phrases::{Bilingual, Tables};
use super::sentence::Sentence;
use std::sync::LazyLock;

const EN: Tables<'static> = (&TELLING_EN, &MERE_EN);
const ZH: Tables<'static> = (&TELLING_ZH, &MERE_ZH);
static PHRASES: LazyLock<Bilingual> = LazyLock::new(|| Bilingual::new(EN, ZH));

const TELLING_EN: [&str; 36] = [
    r"\balways\b",
    r"(?:^|[,;:.—–-] ?)(?:and |so |but |please |also |just )*never\b",
    r"\b(?:i|we|you should|you must|she|he) (?:will |would |can |do |should )?never [a-z]+",
    r"\b(?:from (?:now|here|today|this point) on(?:wards?)?|from this day|going forward|moving forward|henceforth|in (?:the )?future|as a rule|by default|as a habit|as standard)\b",
    r"\b(?:every|each|any) ?time (?:you|i|we)\b",
    r"\bwhenever\b",
    r"\bwhen(?:ever)? (?:you|we|i'm|i am) ?(?:write|writing|reply|replying|answer|answering|send|sending|summari[sz]\w+|talk|talking|speak|speaking|quote|quoting|make|draft|drafting|list|give|giving|explain|explaining|respond|responding|address|schedule|scheduling|book|booking|plan|planning|suggest|recommend|message|remind|refer|discuss|show|format|code|cook|working|work|driving|focus|focusing|travel|travelling|traveling|fly)\b",
    r"^when (?:writing|replying|answering|summari[sz]ing|talking|speaking|explaining|quoting|booking|scheduling|planning|responding|addressing|drafting|giving)\b",
    r"\bfor (?:all|any) (?:my|our|your|future)\b|\bin all (?:my|our|your|future)\b|\bunless i (?:say|ask|tell|request)\b|\bat all times\b|\buntil i say\b",
    r"\bi(?:'d| would| do| really| much| strongly| generally| usually| still| also| absolutely| personally| always| just| kind of| sort of| actually| very much| truly| quite| tend to)* (?:prefer|like|love|enjoy|adore|hate|dislike|detest|loathe|despise|avoid|favou?r|appreciate it when|cherish|fancy|dread|resent|value|tend|insist|swear by|stick to|stay away|steer clear|stay off)\b",
    r"\b(?:my \w+(?: \w+)?|he|she|they|we|our \w+)(?: both| all| really| absolutely| also| usually)? (?:hates?|loves?|prefers?|likes?|dislikes?|can't stand|cannot stand|avoids?|enjoys?|detests?|can't eat|doesn't (?:eat|drink|like))\b",
    r"\b(?:can't|cannot|can not|couldn't) (?:stand|bear|abide|tolerate|eat|drink|deal with|cope with|have (?:dairy|gluten|nuts|milk|sugar))\b",
    r"\b(?:i|we) (?:really |also |just |usually |generally )?(?:don't|do not) (?:really |usually |generally |normally |ever |particularly |much )?(?:like|enjoy|care for|want you|want to (?:be|see|hear|get|receive)|eat|drink|do (?:well|mornings?|calls?|meetings?|small|phone)|use|read|take (?:calls|meetings|sugar|milk|phone)|drive|wear|touch|answer|work|watch|cook|smoke|trust|fly|mix|check|appreciate|need (?:an? )?(?:intro|greeting|explanation|summary|emoji)\w*|own|listen)\b",
    r"\bnot (?:a |an |much of a |a big |a huge |really a |exactly a )*(?:fan|morning person|night owl|into|keen|fond|big on|one for|comfortable with)\b",
    r"\bi(?:'m| am)(?: a| an| also| strictly| mostly| very| really| quite| severely| deathly| more of a| more of an| pretty| both| kind of a| the kind of)* (?:vegetarian|vegan|pescatarian|kosher|halal|allergic|lactose|gluten|coeliac|celiac|diabetic|intolerant|teetotal\w*|left-handed|colou?r-?blind|early (?:bird|riser)|night owl|morning person|night person|introvert|extrovert|fan of|big fan|huge fan|into|used to|sensitive to|big on|fond of|partial to|picky|fussy|keen on|addicted to|person who|visual (?:learner|person|thinker)|particular about|dyslexic|afraid of|scared of)\b",
    r"\b(?:allergic to|allergy|allergies|intoleran\w+)\b",
    r"\b(?:favou?rite|pet peeve|my preference|preferred|preference is|my habit|my routine|my style|my rule|rule of mine|my go-to|house rule|ground rule)\b",
    r"\b(?:i|we) (?:usually|normally|typically|generally|rarely|seldom|hardly ever|mostly|almost never|often|tend to|regularly|habitually|religiously|routinely) [a-z]+",
    r"\b(?:i|we) only (?:eat|drink|use|work|read|take|want|listen|buy|wear|answer|fly|travel|watch|do|accept|book|cook|shop|check|need|like|ever|trust|go|drive|reply|stay)\b",
    r"\b(?:in the habit of|make it a habit|used to having|grew up with)\b",
    r"\b(?:don't|do not|no need to|avoid|stop|please don't|refrain from|skip|spare me|leave out|cut)\b.{0,30}\b(?:emojis?|emoticons|exclamation (?:marks|points)|jargon|buzzwords|filler|small talk|pleasantries|flattery|flowery|apologi[sz]\w+|clich[eé]s|disclaimers|preambles?|notifications?|passive voice|em dashes|sugar-?coat\w*|long (?:intros|introductions|explanations|answers)|abbreviations|acronyms|slang|the small talk|compliments)\b",
    r"\b(?:don't|do not|never|please don't|stop)\b (?:\w+ )?(?:call|calling|ping|pinging|notify|disturb|interrupt|bother|message|wake|remind|contact|text|schedule|book|email|address|refer to|ask|lecture|flatter|praise|sugar-?coat\w*|explain|patroni[sz]e|apologi[sz]e|assume|send|round|sign|start|end)\b.{0,40}\b(?:me|before|after|during|while|on (?:weekends?|sundays?|saturdays?|mondays?|fridays?|holidays)|at (?:night|weekends?|dinner)|in the (?:morning|evening)s?|unless|everything|things|when|with)\b",
    r"\b(?:address|refer to) me\b|\bcall me (?:by|mr|ms|mrs|dr|miss|madam|sir|\w+[.,!]?$|\w+(?:,| instead| from| not| and not| when))",
    r"\b(?:speak|talk|write|answer|reply|respond|communicate|chat|explain things|send \w+)(?: to me| me| back)? (?:only |strictly |exclusively )?(?:in|using|with) (?:english|chinese|mandarin|cantonese|german|french|spanish|norwegian|dutch|japanese|plain|simple|bullet|short|full|complete|formal|informal|lower|metric|british|american|a (?:formal|casual|friendly|calm|direct|neutral|professional)|markdown|point|numbered|everyday|layman)\b",
    r"\buse (?:the )?(?:metric|imperial|24|celsius|fahrenheit|british|american|uk|us|oxford|iso|plain|simple|short|bullet points|kilomet|kilos?|formal|first names?|inclusive|gender|dark|light|tabs|spaces|military|swiss|european)\b",
    r"\bkeep (?:your |all |the |all your |any )?(?:answers|replies|responses|messages|emails|explanations|summaries|updates|reports|notes|reminders|suggestions)\b",
    r"\b(?:keep (?:that|this|it) in mind|bear (?:that|this|it) in mind|keep in mind|remember that i|note that i|for future reference|remember,? i)\b",
    r"\b(?:no|nothing|not) (?:meetings?|calls?|notifications?|emails?|messages?|reminders?|emojis?|appointments?|pings|phone calls|interruptions|work|alcohol|meat|sugar|dairy|nuts|jargon|surprises|spoilers|small talk|early)?(?: \w+)? ?(?:before|after|past|on (?:weekends?|sundays?|saturdays?|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?)|during (?:lunch|dinner|work|the (?:night|day|week))|at (?:weekends?|night)|in the (?:morning|evening)s?)\b",
    r"^(?:please,? )?no (?:emojis?|jargon|small talk|spoilers|surprises|exclamation|buzzwords|phone calls|meat|flattery|alcohol|sugar)\b",
    r"\b(?:works? (?:best|better) (?:for me|in the)|suits me|i work (?:best|better)|i (?:think|concentrate|focus|learn|sleep|read|understand|function) (?:best|better)|the way i like|how i like|to my taste|my kind of|for my taste|drives me (?:crazy|mad|nuts|up the wall)|gets on my nerves|annoys me|irritates me|bugs me|makes me (?:sick|ill|uncomfortable|anxious|happy)|turns me off|puts me off|upsets me|stresses me)\b",
    r"\b(?:i'd|i would|we'd) (?:always |much |generally )?rather\b",
    r"\bi (?:want|need|expect|ask) (?:you to |all |every |my |your )(?:\w+ ){0,3}(?:always|every|all|each|answers|replies|summaries|reminders|direct|honest|blunt|short|brief|answers)\b",
    r"\bi (?:eat|drink|take|have|get up|wake up|go to bed|go running|work out|work|run|swim|meditate|cycle|walk|read|exercise|train|start|sleep|check|write|call|skip|fast) .{0,40}\b(?:every|each|daily|on weekdays|in the mornings?|at nights?|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|twice a|once a|before (?:work|bed|breakfast)|after (?:work|dinner|lunch)|black|without)\b",
    r"\b(?:be|stay|keep it|keep things) (?:blunt|direct|honest|concise|brief|formal|informal|casual|polite) (?:with me|when|in|to me)\b",
    r"\bi (?:stick to|live by|swear by|believe in|go by|quit (?:smoking|drinking|coffee|sugar|meat)|gave up|am off|follow a|keep kosher|keep (?:a |my ))\b",
    r"\b(?:remind me|tell me|ask me|warn me|check with me|let me know|confirm with me)\b.{0,40}\b(?:every (?:day|morning|evening|week|monday|friday|sunday|time)|before (?:you|sending|booking|every|making)|each (?:day|week|morning)|first)\b",
];

const MERE_EN: [&str; 22] = [
    r"\bas always\b|\balmost always\b|\balways (?:a pleasure|welcome|been (?:like )?that)\b|\b(?:it|that|there|this)(?:'s| is| has| was|'ll)? always\b|\bwhy (?:is|does|do|are|am)\b.{0,20}\balways\b",
    r"\b(?:i've|i have|has|had|have|haven't|hasn't) (?:always|never)\b|\bi always (?:wanted|thought|knew|believed)\b",
    r"\bnever ?mind\b|\bnever heard\b|\bnever again\b|\bnow or never\b|\bnever (?:works|worked|happened|happens|been|got|came|arrived|showed)\b",
    r"\bi never (?:said|asked|told|got|knew|thought|heard|saw|received|meant|mentioned|finished|did|had|went|agreed|met|understood|found|would have|expected|signed)\b",
    r"\bi(?:'d| would) (?:really |very much |just |also )?(?:like|love) (?:to|you|a|an|the|some|it|that|this|your|us|him|her|them|one|more|another|my)\b",
    r"\bi'd (?:prefer|rather) (?:the|this|that|if you|not to say|go with|a)\b",
    r"(?:^|[,.;] ?|\band |\bbut |\bso )i (?:really |quite |also |do )?(?:like|love|enjoy|prefer) (?:it|this|that|these|those|your|the (?:idea|first|second|third|new|last|draft|look|sound|way you|version|title|blue|red|other|one|ending|photo|plan|result|suggestion|proposal))\b",
    r"\bi enjoyed\b|\bi liked\b|\bi loved\b",
    r"\bin (?:the )?future (?:tense|plans?|is|of|will)\b|\bthe future\b",
    r"\bwould you (?:like|prefer)\b|\bif you (?:like|prefer)\b|\bif you don't mind\b",
    r"\bi don't (?:want|need) (?:it|this|that|to (?:go|do|talk|buy|think|change|lose|miss))\b|\bi don't like (?:it|this|that|the|your)\b",
    r"\bused to be\b|\bi used to\b",
    r"(?:^|please |\band |\bto |\bwill |\bcan |\bcould |\bi'll |\bhave \w+ |, )call me (?:back|when|later|tomorrow|tonight|if|at|on|crazy|today|in|asap|as soon|now|once|after|before|again|maybe|soon|please)\b",
    r"\bi(?:'m| am) used to it\b|\bi'm into (?:the|chapter|page)\b",
    r"\bi (?:usually|often|normally) (?:forget|get it wrong)\b",
    r"\b(?:do|does|did|don't|doesn't) (?:you|he|she|they|people|cats|dogs) (?:like|love|prefer|always|never|usually|hate)\b",
    r"\bpeople (?:like|love|prefer|hate)\b",
    r"\bi (?:love|hate|like|prefer) (?:you)\b",
    r"\bfavou?rites? (?:list|folder|tab|button)\b",
    r"\btell me whenever you're ready\b|\bwhenever you(?:'re| are)? (?:ready|can|want|like|have time|get)\b|\bwhenever works\b",
    r"\bi take (?:the|it|that|this|back)\b|\bi have (?:a|an|the|to|been|no)\b|\bi (?:read|write|wrote|start|call|work) (?:the|an?|at|for|about|on)\b",
    r"\bnot (?:before|after|on|in|at) (?:that|this|it|all)\b",
];

const TELLING_ZH: [&str; 28] = [
    r"(?:^|[，,。！、：: ]|请|你|我|我们|但|那|咱们?)(?:以后|今后|往后|日后|将来)(?:[，,]|请|你|都|别|不|就|回|写|给|跟|发|每|凡|我|用|叫|只|再|也|一律|遇|如果|所有|务必|记得|提|说|要|直接|尽量|的|帮|先|出|有|一|早|晚|周|做|列|称|推|安排|开|订|点|聊|碰|若|任何|统|默|咱|在|把|问|买|报|和|对)",
    r"从(?:今天|今|现在|此|这次|下次|明天)(?:起|开始|以后|往后|后)",
    r"一律|一向|向来|从来(?:不|都|没)|从不|永远(?:别|不|都|用)|历来|素来|始终|平日|惯例|雷打不动",
    r"(?:请|都|要|也|就|我|得|会)?(?:一直|总是|总)(?:用|是|要|都|以|保持|先|按|喝|吃|坐|选|把|在|会|不|很|习惯)",
    r"每次|每当|每回|凡是|但凡|逢|任何时候|无论什么时候|不管什么时候|所有(?:的)?(?:回复|邮件|文件|回答|日期|金额|会议|通知|提醒|报告|代码|消息|时间|文档|总结)",
    r"(?:我|我们|咱们|家里|他|她|老婆|老公|爸|妈|孩子|儿子|女儿|奶奶|爷爷)(?:家|们)?(?:平时|平常|通常|一般|每天|每周|每晚|每月|每年|每个|早上|早晨|中午|晚上|晚饭|周末|周日|周六|周[一二三四五]|工作日|习惯|很少|几乎不|基本不|基本都|基本上|都是|只|偶尔)(?:都|会|才|不|要|在|是|先|就|只|喝|吃|用|做|看|听|跑|去|睡|起|开|习惯|坐|买|写|读|穿|点|骑|走|六|七|八|九|十|陪|健身|游泳|午睡|散步|打|练|接|回|喜欢|固定)",
    r"习惯",
    r"喜欢|偏好|偏爱|偏向|钟爱|更爱|最爱|热爱|酷爱|挚爱|爱(?:吃|喝|看|听|用|喝|逛|睡|穿|玩|住|坐)|讨厌|厌恶|反感|受不了|忍不了|看不惯|不爱|不待见|嫌(?:吵|麻烦|油|甜|弃|太)|很烦|最烦|烦(?:别人|人家|那种|这种|长|被)|感兴趣|倾向于?|更倾向|痴迷|迷上|上瘾|忌讳|介意",
    r"不(?:吃|喝|碰|沾|抽|看电视|坐|用(?:微信|香水|咖啡|手机)|能吃|能喝|太吃|怎么吃|大吃|太喝|怎么喝|想看到|想被|太能|接电话|加(?:糖|辣|葱|冰|奶|香菜|班)|放(?:糖|辣|葱|香菜)|要(?:加|放)?(?:糖|辣|葱|香菜|冰)|住(?:一楼|高层|青旅)|耐|擅长|回工作)",
    r"忌口|过敏|吃素|素食|戒(?:烟|酒|糖|了|咖啡)|乳糖不耐|清真|不沾|吃不(?:了|惯|得)|喝不(?:了|惯|得)|怕(?:吵|冷|热|辣|黑|打扰|高|晒|油|狗|猫|生|蛇|甜)|晕(?:车|船|机)|认床|色盲|左撇子|夜猫子|早起|睡懒觉|有洁癖|强迫症|社恐|午睡|对.{1,8}(?:过敏|不耐受|没兴趣|很挑|挑剔)|(?:只|必)(?:吃|喝|用|看|听|坐|穿|买|接受|要|在|住|认|订|选|走|收)|宁可|宁愿|比较(?:喜欢|爱|习惯|偏)|口味(?:偏|清淡|重|比较)|无糖|少糖|清淡",
    r"(?:不用|不要|不必|别|甭|少|请勿|无需)(?:再|总|老|跟我|和我|对我|给我|太|那么|这么)?(?:客气|客套|寒暄|打扰|拐弯|绕弯|啰嗦|啰唆|废话|安慰|奉承|拍马|道歉|夸|恭维|铺垫|解释|说教|用(?:表情|感叹号|英文|术语|缩写|敬语|您|专业|行话|网络|缩略|口头|繁体|外语|emoji|成语)|发(?:语音|表情|消息打|表情包)|加(?:表情|emoji|感叹)|叫我|称呼|给我(?:发|打|推|讲|安排|排|订|打电话)|在.{1,10}(?:打扰|找我|发|打电话|叫我)|半夜|一大早|讲大道理|套话|官话|肉麻|打官腔)",
    r"(?:^|[，,。！ ]|请|就|可以|都|直接|你|还是|以后)(?:叫|称呼|喊)我(?:[^，。！醒起来去吃一的在]|老|小|阿)",
    r"直接(?:说|给|讲|上)(?:重点|结论|结果|答案|要点|正题)|先(?:说|给|讲|写|列)(?:结论|重点|结果|答案|要点)|说重点|讲重点|开门见山|有话直说|结论(?:先行|放(?:在)?(?:最)?前)",
    r"(?:跟|和|对|给)我(?:说话|讲话|聊天|交流|沟通|写|发|解释|汇报|回|讲|打)(?:的时候|时|东西|消息|邮件|用|要|请|别|尽量|不用|都|信息|报告)",
    r"(?:写|回|发|做|订|点|买|安排|推荐|列|总结|回复|回答|汇报|翻译|提醒|称呼|说话|聊天|开会|出差|出门|出行|旅行|吃饭|订餐|点菜|选|解释|讲|排|约|报|记录|引用|起草|写作|问)(?:[^，。！？]{0,8})?(?:的时候|时候|时)[，, ]?.{0,12}(?:请|要|都|用|别|不要|尽量|一律|记得|先|优先|必须|千万|正式|简短|注意|不用|只|最好|给我|避开|语气|风格|得|附)",
    r"(?:请|麻烦|务必|尽量|统一|默认|最好|要求|必须|一定要?|千万|都)(?:都|一直|统一|始终|全部|给我)?(?:用|使用|采用|以|按|按照)(?:中文|英文|简体|繁体|公制|英制|24|二十四|表格|列表|要点|摄氏|人民币|markdown|敬语|你|您|普通话|口语|大白话|公历|农历|短句|简洁|正式|第一人称|阿拉伯|北京时间)",
    r"(?:回复|回答|答案|回信|总结|汇报|说明|解释|内容|消息|邮件|语气|说话|提醒|摘要)(?:请|要|都|尽量|必须|得|最好|应该|一定|务必|不要|别|统一|控制在|不超过|别超过|保持|越|短|简短|简洁|精简|用)",
    r"(?:早上|上午|中午|下午|晚上|夜里|半夜|睡觉|周末|周[一二三四五六日天]|节假日|休息日|午休|吃饭|开会|工作|下班|点)(?:[^，。！？]{0,6})?(?:不要|别|请勿|不想|不接|不看|不回|不开|不安排|不排|勿|不处理|不谈)(?:再)?(?:打扰|吵|找|安排|约|给我|发|打|叫|烦|开会|排|提醒|看|接|回|电话|工作|会|联系|推|通知|弹)?",
    r"记(?:得|住|着)(?:一下)?[，, ]?我(?:不|只|喜欢|对|是|爱|要|习惯|讨厌|从)",
    r"我(?:是|属于)(?:个)?(?:素食|夜猫|左撇子|早起|急性子|慢性子|i人|e人|内向|外向|吃货|路痴|猫派|狗派|南方口味|无辣不欢|视觉|环保|极简|完美主义|社恐|社牛|北方胃|铁杆|球迷|粉丝|晨型|穆斯林|佛系)",
    r"无辣不欢|无肉不欢|情有独钟|不感冒|没兴趣|提不起兴趣|没胃口|不对我胃口|合我(?:的)?(?:口味|胃口|心意|意)|对我来说(?:太|最好)|我(?:最)?(?:看重|在意|注重|讲究|坚持|奉行|信奉|推崇|追求|拒绝|习惯|抵触|依赖|离不开)",
    r"(?:我的|我们的|家里的|咱家的)(?:习惯|规矩|原则|口味|偏好|风格|底线|惯例|作息|最爱|雷区|禁忌|爱好)",
    r"(?:优先|尽可能|尽量|能.{1,3}就|能.{1,3}则)(?:选|用|推荐|安排|坐|订|买|考虑|短|少|早|简|别|不|避免|放|排|住|走|骑|步行|给|在|写|说|靠)",
    r"(?:希望|想让|想要|要求|需要)你(?:以后|每次|每天|总是|都|说话|回答|回复|对我|能直接|直接|别|不要|用|叫我|称呼)",
    r"(?:每天|每周|每晚|每月|每早|每个(?:月|周|工作日|星期))[^，。！？]{0,16}(?:提醒|给我|发|汇报|总结|推送|叫我|别|不要|跑|喝|吃|睡|起|锻炼|冥想|陪|散步|要|都|必|健身|练|读|写|游|会)",
    r"(?:超过|晚于|早于|低于|高于)[^，。]{1,8}(?:的)?(?:会|会议|酒店|航班|车|邮件|东西|消息)?(?:都|一律|就)?(?:不要|别|不看|不去|不考虑|不用)",
    r"(?:坐|住|吃|喝|睡|穿|出门|开车|旅行|飞|买|点)[^，。！？]{0,8}(?:一定要|必须|一定得|都得|必要|非.{1,6}不)",
    r"改不了|老(?:习惯|规矩|样子就好|毛病)|照旧|按老规矩",
];

const MERE_ZH: [&str; 15] = [
    r"(?:点|天|月|年|周|小时|分钟|之|从此|下课|下班|毕业|结婚|回来|吃完)以后(?:再说)?",
    r"以后(?:再说|有空|再看|再聊|怎么办|会不会)",
    r"你(?:喜欢|爱|讨厌|习惯)",
    r"(?:他们|大家|人们|猫|狗|小朋友|客户|老板)(?:都)?(?:喜欢|爱)",
    r"喜欢(?:吗|这个|这版|那版|那个|这张|第)",
    r"可爱|爱情|爱好者|恋爱|亲爱|敬爱|爱心",
    r"叫我(?:的|怎么|该|去|来|起床|一声|们|吃)",
    r"回(?:复|答|信)(?:一下|他|她|了|这)",
    r"只(?:是|有|能|好|不过|差|剩|要(?:是|能|你)|看了|听了|买了|吃了|用了|在今|要一)",
    r"不吃亏|不看(?:了|也)|不坐(?:了|会)|不喝了|不吃了",
    r"记得(?:提醒|带|给|买|把|发|回|去|明天|今天)",
    r"怕(?:是|来不及|忘|错|迟到)",
    r"不用(?:谢|了|担心)",
    r"习惯(?:养成|的力量)|养成.{0,6}习惯",
    r"每次(?:都)?(?:失败|报错|崩溃)",
];

/// Whether a sentence tells a preference.
pub(super) fn stands_in(sentence: &Sentence<'_>) -> bool {
    !sentence.question && PHRASES.found(sentence)
}

#[cfg(test)]
pub(super) fn compiles() -> bool {
    PHRASES.whole(EN, ZH)
}
