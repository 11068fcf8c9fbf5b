//! Draft change: a text, table, picture or file that is worked on shall change.

use super::phrases::Phrases;
use super::sentence::Sentence;
use std::sync::LazyLock;

static ENGLISH: LazyLock<Phrases> = LazyLock::new(english);
static CHINESE: LazyLock<Phrases> = LazyLock::new(chinese);

const LEAD_EN: &str = r"(?:^|[,;:.—–-] ?|\band |\bthen |\bnow |\balso |\bplease |\byou |\bjust |\bi'd like (?:you )?to |\bi want (?:you )?to |\blet's |\bneed to |\bto |\bbut |\bmaybe |\bor |\bso |\bshould |\bdon't |\bdo not |\bi said |\bhelp me )";
const VERBS_EN: &str = r"(?:make|change|swap|soften|rewrite|rephrase|reword|reformulate|add|replace|turn|delete|remove|drop|cut|shorten|lengthen|trim|expand|move|insert|put|merge|split|combine|reorder|re-order|reverse|rename|retitle|bold|itali[cs]i[sz]e|underline|highlight|capitali[sz]e|translate|polish|tighten|condense|simplify|fix|correct|edit|revise|update|tweak|adjust|tone|crop|resize|rotate|flip|brighten|darken|lighten|center|centre|align|indent|format|reformat|convert|restructure|rearrange|sort|fill|leave|take|strip|undo|revert|restore|bring|switch|use|start|end|begin|open|close|sharpen|enlarge|increase|decrease|reduce|include|spell|proofread|number|label|colou?r|repeat|mention|separate|break|narrow|widen|double|round|cap|mark|quote|cite|modify|alter|redo|redraw|rework|replace|shrink|raise|lower|get rid of|work|smooth|beef up|flesh out|clean up|pull|join|hide|show|give|keep|set)";
const OBJECTS_EN: &str = r"(?:intro|introduction|sentences?|paragraphs?|sections?|titles?|subtitles?|headlines?|headings?|headers?|footers?|footnotes?|lists?|tables?|letters?|e-?mails?|mail|drafts?|texts?|slides?|pages?|charts?|graphs?|diagrams?|images?|pictures?|photos?|logos?|banner|columns?|rows?|cells?|bullets?|bullet points?|summary|essay|reports?|documents?|docs?|articles?|blog|posts?|cv|resume|résumé|cover letter|invitations?|proposals?|captions?|quotes?|quotation|greeting|salutation|sign-?off|closing|endings?|conclusion|opening|tone|wording|phras\w+|words?|lines?|part|parts|chapters?|version|fonts?|colou?rs?|background|margins?|layout|deck|presentation|files?|spreadsheet|sheet|agenda|minutes|notes?|poem|verse|stanza|speech|script|bio|biography|contract|clauses?|offer|prices?|abstract|labels?|legend|axis|axes|copy|passage|points?|flyer|poster|template|signature|subject|paper|thesis|story|scene|dialogue|lyrics|song|recipe|schedule|timeline|budget|invoice|brochure|newsletter|press release|statement|description|profile|about page|tagline|slogan|heading|memo|review|figures?|formulas?|examples?|items?|steps?|dates?|names?|spelling|punctuation|commas?|ordering|order of|outline|toast|appendix|references?|bibliography|menu|watermark|border|icon|thumbnail|cover|frame|ps|postscript|transition|hook|pitch|readme|tweet|thread|announcement|card|ad|wording|message|apology|section|draft)";

fn english() -> Phrases {
    let acted = format!(r"{LEAD_EN}{VERBS_EN}\b.{{0,70}}\b{OBJECTS_EN}\b");
    let asked = format!(
        r"\b(?:can|could|would|will) (?:you|we) (?:please |also |just |maybe )?{VERBS_EN}\b.{{0,70}}\b{OBJECTS_EN}\b"
    );
    let judged = format!(
        r"\bthe (?:\w+ ){{0,3}}{OBJECTS_EN}(?: \w+){{0,3}} (?:is|are|should|needs?|could|sounds?|reads?|feels?|must|has to|can|looks?)(?: to)?(?: be)? (?:a bit |a little |too |much |more |less |way |far |still |rather |go|come|shorter|longer|removed?|deleted?|bold|bigger|smaller|moved|start|end|mention|bolder|punchier|in )"
    );
    Phrases::new(
        &[
            &acted,
            &asked,
            &judged,
            r"\bmake (?:it|this|that|them|each|the \w+(?: \w+)?) (?:a bit |a little |much |sound |look |read |feel |slightly |even )*(?:shorter|longer|simpler|warmer|softer|punchier|clearer|bolder|bigger|smaller|tighter|funnier|friendlier|more \w+|less \w+|bold|italic|sharper|lighter|darker|wider|narrower|plainer|crisper|catchier|formal|concise|personal|one (?:page|paragraph|sentence)|two (?:pages|paragraphs|columns)|half)\b",
            r"(?:^|\bplease |\band |\bthen |, |\bcould you |\bcan you )(?:swap|rewrite|rephrase|reword|reformulate|shorten|proofread|paraphrase|tone down|tone (?:it|this|that) down|cut (?:it|this|that) (?:down|by|in half)|trim (?:it|this|that)|tighten (?:it|this|that)|polish (?:it|this|that)|soften (?:it|this|that)|simplify (?:it|this|that)|condense (?:it|this|that)|expand (?:it|this|on)|retitle|restructure)\b",
            r"\breplace .{1,60} (?:with|by)\b",
            r"\bchange .{1,60} (?:to|into) ",
            r"\bturn .{1,60} into (?:a|an|bullets?|prose|tables?|two|three|one)\b",
            r"\b(?:add|insert|include|put|move|append) .{1,60}\b(?:at the (?:end|top|bottom|beginning|start)|to the (?:end|top|bottom|beginning|start|intro\w*|list|table|letter|email|draft|report|slides?|invitation|document|text|agenda|deck|poster|front|left|right)|below the|above the|before the (?:last|first|second|third|final)|after the (?:last|first|second|third|opening|title|intro\w*)|between (?:the|paragraphs?|sections?))\b",
            r"\bput (?:the \w+|it|that|them) back\b|\b(?:bring|change|switch|turn) (?:it|that|the \w+) back\b|\brevert (?:to|the|that|it|my|your)\b|\bundo (?:the|that|your|my) (?:last |previous )?(?:change|edit|edits|changes)\b",
            r"\b(?:first|second|third|fourth|last|final|opening|closing) (?:paragraph|sentence|slide|section|line|bullet|chapter|row|column|page|verse)\b.{0,30}\b(?:out|away|gone|should|needs?|up|down|can go|too|first|shorter|longer)\b",
            r"\b(?:use|set|switch to) (?:a |an )?(?:\w+ )?(?:bigger|smaller|larger|different|serif|sans|bold|lighter|darker|two-column|wider|landscape|portrait)\b",
        ],
        &[
            r"\b(?:shopping|grocery|to-?do|todo|waiting|guest|wish|packing|reading|watch|task) lists?\b",
            r"\b(?:to|on|in|into|from) (?:my|the|our) (?:calendar|diary|schedule|to-?do|cart|basket|reminders?|inbox)\b",
            r"\b(?:write|draft|create|compose|generate|make|prepare|design|draw|build|start|send|give|show|read|open|find|translate|summari[sz]e|put together|take) (?:me |us |up |out )?(?:a|an|another|some|my|this|new) (?:new |short |quick |long |little |brief |\w+ )?(?:letter|e-?mail|mail|poem|story|summary|list|table|report|speech|essay|note|notes|plan|chart|draft|photo|picture|document|file|text|post|bio|presentation|card|toast|page|script|slogan|recipe|message|schedule|song)\b",
            r"\b(?:set|set up) (?:a |an |my |the )?(?:alarm|reminder|timer|meeting|appointment)\b",
            r"\bmake (?:a|an|the) (?:note|list|table|call|reservation|booking|appointment)\b",
            r"\btake (?:note|notes|a note|minutes|part|the (?:bus|train))\b",
            r"\b(?:change|changed|cut|use|keep) (?:my|our|your|his|her) (?:mind|password|address|phone|job|name|hair|number|life|plans?)\b",
            r"\b(?:start|begin|end|open|close|leave) (?:the )?(?:meeting|day|week|party|session|window|door|call)\b",
            r"\b(?:i|we|you|he|she|they) (?:always|usually|never|often)\b",
            r"\b(?:keep|leave|take) (?:it|that|this) (?:in mind|at that|easy)\b",
            r"\bwhenever\b.*|\bkeep (?:your |all )?(?:replies|answers|messages|responses|explanations|summaries)\b.*|\bfrom now on\b.*|\bwhen(?:ever)? you write\b.*|\balways\b.*",
            r"\bmake sense\b|\bmake sure\b",
            r"\b(?:show|give|tell|send|read|open|find|get|bring) me\b",
            r"\bthe (?:button|app|server|function|code|api|program|website|database|script|test|query|endpoint|bug|error|login|feature)\b.*",
        ],
    )
}

const OBJECTS_ZH: &str = r"(?:第.{1,3}(?:段|句|章|节|页|行|列|条|点|张|部分|版|格|项|小节|幕|题|步)|[首末尾]段|最后(?:一)?(?:段|句|页|行|张|部分|章|点)|倒数.{1,3}(?:段|句|行)|前(?:两|三|几)(?:段|句|页|行|章)|后(?:两|三|几)(?:段|句|页|行|章)|标题|副标题|小标题|题目|开头|开场|结尾|末尾|正文|段落|[这那]一?(?:段|句|封|页|行|列|张|版|篇|份|部分|章|节|几句|几段|个(?:词|字|标题|表|图|段|数|部分|例子))|邮件|来信|信(?:里|中|的|末|尾|开)|稿子?|初稿|草稿|文章|报告|简历|自我评价|自我介绍|ppt|幻灯片|表格|表(?:里|头|中|的)|图(?:片|表|例|里|上|的|标)|插图|配图|照片|海报|封面|封底|文档|文件(?:里|中|的|名)|合同|条款|语气|措辞|用词|字体|字号|行距|背景|颜色|配色|目录|摘要|附录|落款|署名|称呼|问候语?|列表|清单|大纲|提纲|演讲稿|发言稿|讲稿|文案|简介|版面|排版|格式|logo|引言|结论|总结|备注|脚注|注释|台词|歌词|诗|公告|请柬|请帖|邀请函|方案(?:里|中|的)|计划书|说明(?:书|里|文)?|口号|广告语|标语|名单|论文|译文|翻译(?:稿)?|故事|剧本|对白|小说|日程表|议程|纪要|周报|月报|日报|通知(?:里|中|的)|推文|朋友圈|名片|传单|菜单|水印|边框|主标|章节|术语|数据(?:列|那|栏)|预算(?:那|表|里)|单元格|表头|标点|错别字|逗号|句号|引号|感叹号|金句|案例|例子|贺卡|祝词|悼词|感谢信|道歉信|求职信|推荐信|辞职信|文字|句子|内容|画面|片头|片尾|字幕|横幅|图标)";
const ACTS_ZH: &str = r"(?:删|改|换|重写|改写|润色|缩短|精简|扩写|压缩|合并|拆|对调|互换|换个|调整|调(?:一下|大|小|亮|暗|成|到|整|换)|加(?:上|个|一|粗|大|点|入|深|进|张|段|句|宽|长|几|两|到)|补(?:充|一|上|个)|去掉|去(?:除|一下)|拿掉|删除|移(?:到|动|至)|挪(?:到|一)|放(?:大|到|在前|前面|最)|缩(?:小|成|到|减)|写(?:得|短|长|具体|详细|成)|居中|左对齐|右对齐|对齐|裁|旋转|转(?:成|为)|翻译成|翻成|译成|替换|恢复|还原|撤(?:回|销)|标(?:红|黄|注|出|成)|突出|弱化|强调|提前|后移|上移|下移|提到|并(?:到|成|入)|分成|变成|弄(?:短|长|大|小|成)|做成|设(?:成|为)|用(?:黑体|宋体|楷体|粗体|斜体|红色|蓝色|大一号)|再(?:.{0,6})(?:些|点|一点|一些|号|倍)|太(?:长|短|正式|生硬|啰嗦|口语|花|大|小|暗|亮|多|硬|随意|空|平|沉|官方)|不(?:要|用)(?:写|放|加|这么|那么)|少写|多写|展开|细化|收(?:紧|短)|打散|分段|统一)";

fn chinese() -> Phrases {
    let acted = format!(r"{OBJECTS_ZH}[^。！？]{{0,18}}{ACTS_ZH}");
    let reversed = format!(
        r"(?:删(?:掉|了|除|去)?|改(?:写|一下|下|短|掉)?|换(?:掉|一下|个)?|重写|润色|缩短|精简|扩写|压缩|合并|拆分|对调|互换|调整|去掉|拿掉|移动|放大|缩小|裁剪|替换|恢复|还原|撤销|突出|加粗|补充|美化|优化|完善|简化|翻译)(?:一下|下|了)?[^。！？，]{{0,8}}{OBJECTS_ZH}"
    );
    Phrases::new(
        &[
            &acted,
            &reversed,
            r"把[^。！？]{1,40}(?:删|改(?:成|为|短|长|得|一|写|掉|回|小|大|正|口|简)|换成|换(?:个|一下|掉|为|到前|位)|调到|调(?:大|小|亮|暗|换|整)|移(?:到|至)|挪到|加(?:上|粗|进|到|大|深)|去掉|去除|拿掉|缩(?:短|到|成|小)|放大|放到(?:最|开|前|后|结|末|第|标|正|附|右|左|上|下|封|文)|拆(?:成|分|开)|合并|并(?:成|到)|提到(?:最)?前|翻译成|翻成|译成|标(?:红|黄|出|注|成)|补(?:上|充|全|进)|润色|压缩|精简|对调|互换|居中|对齐|裁|旋转|替换|写(?:得|短|长|具体|成|进|细)|分成|变成|弄(?:短|长|成|大|小|得)|做成|统一|恢复|还原|展开|细化|简化|美化|重写|改写|转成|设成|排(?:成|到|在))",
            r"将[^。！？]{1,30}(?:改为|改成|替换为|替换成|删除|移至|移到|合并|调整为|缩短|译为|翻译成|拆分)",
            r"(?:加|补|插|添)(?:上|入|进|充)?(?:一|两|三|几|个|张)?(?:句|段|行|列|页|张|条|个(?:标题|表|图|例子|结尾|开头|注|脚注|小标题|目录|封面|落款|署名|副标题|总结|引言|逗号)|幅|处|节|章|栏)",
            r"(?:重写|改写|润色|重新写|重新排|重排|改回(?:去|来|原)|换成|替换成|删掉|删了|缩到|精简(?:一下|到|成|些)|扩写|压缩到|换个(?:顺序|位置|说法|标题|颜色|字体|背景|开头|结尾|角度|风格|语气|写法|词)|换一(?:个|种)(?:说法|写法|语气|风格|颜色|字体|开头|标题)|对调|互换(?:位置)?|加粗|居中|标红|调(?:个|换)顺序|字数(?:压|控|减|缩)|写得(?:更|再|短|长|具体|正式|口语)|改(?:得|短|长)(?:更|再|一点|点|些|短|口语|正式|委婉|活泼)|再(?:委婉|正式|口语|简短|短|长|具体|生动|活泼|客气|精炼|通俗|柔和|简洁|亲切|温和|幽默|直白|详细|大|小|亮|淡|深)(?:一)?(?:点|些))",
            r"(?:最后|末尾|结尾|开头|文末|右上角|左上角|右下角|左下角|中间|最前面|最后面)(?:再|请|帮我)?(?:加|补|写|放|插|附|留)(?:上|个|一|入|句|段)?",
            r"(?:压|缩|删|减|控制|扩|写)(?:缩|减|制|充)?(?:到|在|成)?.{0,4}(?:字|页|段|行|句)(?:以内|之内|左右|内|就)",
        ],
        &[
            r"以后[^。！]{0,40}|今后[^。！]{0,40}|每次[^。！]{0,40}|一律[^。！]{0,40}|从现在[^。！]{0,40}",
            r"改(?:天|日|签|变|善|革|编|密码|主意|名字了|期|行)|换(?:手机|工作|电脑|车|房|城市|人|季|灯泡|家|公司|药|乘|了(?:一|台|部|个|新|辆)|句话说)",
            r"把(?:会|会议|闹钟|提醒|航班|机票|约会|日程|密码|空调|灯|预约|订单|酒店|行程|声音|音量|车|钱|快递|衣服|家|房间|孩子|手机|温度|窗|门|会面|面试|时间)[^。！，？]{0,24}",
            r"(?:写|起草|拟|做|生成|画|列|准备|来|编|作)(?:一)?(?:封|篇|份|首|张|个|段|则|条|幅|套)(?:新)?(?:的)?[^，。！？]{0,20}(?:邮件|信|稿|文章|报告|诗|清单|列表|表格|ppt|文案|简历|总结|大纲|通知|请柬|海报|方案|故事|剧本)",
            r"购物(?:清单|车)|待办(?:清单|列表|事项)?|日历|歌单|收藏夹|愿望清单",
            r"代码[^。！，]{0,20}|函数[^。！，]{0,20}|按钮[^。！，]{0,20}|接口[^。！，]{0,20}|程序[^。！，]{0,20}|数据库[^。！，]{0,20}|网站[^。！，]{0,20}|脚本[^。！，]{0,20}|登录[^。！，]{0,20}",
            r"再(?:便宜|快|慢|等|晚|早|多|少|走|睡|坐|吃|喝)(?:一)?(?:点|些)|慢一点|快一点|早一点|晚一点|大声(?:一)?点|便宜(?:一)?点|简短一点说|说(?:得)?(?:慢|简单|详细|具体|清楚)(?:一)?点",
            r"(?:念|读|看|打开|发|发送|找|查|打印|保存|转发|总结|概括|朗读|收到|下载|上传)(?:一下|下|给我)?(?:[这那]封)?(?:邮件|文件|报告|照片|文档|文章)",
        ],
    )
}

/// Whether a sentence asks for a change of a draft.
pub(super) fn stands_in(sentence: &Sentence<'_>) -> bool {
    if sentence.question && !requests(&sentence.plain) {
        return false;
    }
    ENGLISH.found(&sentence.plain) || sentence.chinese && CHINESE.found(&sentence.plain)
}

/// "Can you soften the tone?" asks for a change in the form of a question.
fn requests(plain: &str) -> bool {
    const CUES: [&str; 13] = [
        "can you",
        "could you",
        "would you",
        "can we",
        "could we",
        "will you",
        "把",
        "能不能",
        "可以",
        "能否",
        "可否",
        "好吗",
        "行吗",
    ];
    CUES.iter().any(|cue| plain.contains(cue))
}

#[cfg(test)]
pub(super) fn compiles() -> bool {
    ENGLISH.whole(&["x"], &["x"]) && CHINESE.whole(&["x"], &["x"])
}
