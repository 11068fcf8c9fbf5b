//! Decision: a choice is settled, or unsettled.

use super::phrases::{Bilingual, Tables};
use super::sentence::Sentence;
use std::sync::LazyLock;

const EN: Tables<'static> = (&TELLING_EN, &MERE_EN);
const ZH: Tables<'static> = (&TELLING_ZH, &MERE_ZH);
static PHRASES: LazyLock<Bilingual> = LazyLock::new(|| Bilingual::new(EN, ZH));

const TELLING_EN: [&str; 28] = [
    r"\b(?:decided|we've decided|decision(?:'s| is| was| has been)?(?: \w+){0,3}|decide[sd]? (?:on|for|against|to))\b",
    r"\b(?:settled|settle[sd]? on|settling (?:on|for)|finali[sz]ed|that's (?:final|settled|decided|the plan|that, then|it then)|it's (?:final|settled|decided|official|agreed|a deal|done)|final (?:answer|decision|choice|call|word|verdict)|done deal|deal[.!]|end of discussion|case closed|no (?:going|turning) back|set in stone|locked? (?:it )?in|signed off|sign-off|greenlit|green ?light\w*|all agreed|we agreed|agreed[:,]|agreed that|consensus is|verdict)\b",
    r"\b(?:made up (?:my|our|his|her|their) minds?|mind is made up|minds are made up)\b",
    r"\b(?:let's|let us|lets) (?:just |all |then |definitely |simply )?(?:go|do|take|use|stick|pick|choose|book|keep|drop|skip|cancel|stay|settle|call|make it|have|move (?:ahead|forward|the|it)|buy|order|get|hire|leave it|meet|start with|postpone|push|scrap|run with|proceed|switch|not|forget|plan on|rent|paint|name|host|hold|ship|launch|invite|stop|end|close|commit|sign|set|fix|stay)\b",
    r"\b(?:i'm|i am|we're|we are|they're|he's|she's|am|are) (?:definitely |now |just |still |all |not |finally )*(?:going (?:with|for|ahead|to (?:go|take|buy|quit|accept|decline|use|stick|keep|drop|sell|rent|book|switch|move to|apply|sign|order|cancel|stay|leave|hire|resign|stop|skip|start|keep|paint|do it))|quitting|taking the|sticking|choosing|picking|accepting|declining|turning (?:it|them|that) down|buying the|cancell?ing|dropping|keeping|calling (?:it )?off|opting|settling|staying (?:with|in|put|at)|switching|moving (?:ahead|forward)|selling|leaving (?:the|my)|passing on|committing|dropping out|resigning|enrolling|signing|adopting|scrapping|postponing|pulling out|backing out|hiring|moving to \w+ after all|not (?:buying|going|doing|taking|selling|moving|renewing|attending|hiring|using))\b",
    r"\b(?:i'll|i will|we'll|we will|i shall|we shall) (?:just |definitely |simply |now |then |all |both |not )*(?:take|go (?:with|for|ahead|by|to|on)|stick|pick|choose|have the|use|ship|keep|drop|skip|launch|host|hire|do (?:it|without|the)|start with|stay|hold|move (?:ahead|forward|the|it|to)|postpone|cancel|accept|decline|turn (?:it|them) down|buy|rent|book|sign|get the|make do|settle|switch|stop|quit|leave|wait|pass|order|wear|paint|name|call (?:it|him|her|the)|fly|travel|marry|run|run with|meet|sell|pay|study|apply|enrol|invest|split|adopt|build|release|publish|give (?:it|up)|not)\b",
    r"\b(?:we|i) (?:take|choose|pick|go with|chose|picked|opted|accept|accepted|declined|declare|hereby|resolved|voted|agree to|agreed|selected|elected|select|ditched|scrapped|dropped|are done|cancelled|canceled|called off|settled|ruled out|host|ship|drop|stay with|stick with|went with|landed on|ended up (?:choosing|picking|going)|rejected|turned (?:it|them|him|her|down)|abandoned|shelved|signed|committed|approve|approved)\b",
    r"\b(?:i|we)(?:'ve| have)(?: both| all| now| finally| just)? (?:chosen|picked|settled|opted|changed (?:my|our) minds?|agreed|concluded|landed on|resolved|selected|ruled out|given up on|committed|cancelled|canceled|called off|dropped|accepted|declined|scrapped|booked|turned down|signed|ditched|abandoned|voted|gone with|approved)\b",
    r"\bopt(?:ed|ing)? (?:for|to|out)\b",
    r"\b(?:changed? my mind|changed our minds?|change of (?:heart|plans?)|on second thoughts?|after all|scrap that (?:plan|idea)|reconsidered|backing out|plans? (?:has|have)? ?changed|the (?:trip|deal|wedding|plan|meeting|project|party|move|purchase) is off|is off the table|off the table|it's off|calling it off|we're off)\b",
    r"\bno more (?:searching|looking|discussion|debate|debating|shopping around|comparing|dithering|waiting|options|changes|back and forth|second-guessing|arguing|options|research)\b",
    r"\b(?:call(?:ing|ed)? (?:it|the \w+) off|scrapp(?:ed|ing)|shelved|abandon(?:ed|ing)|given up on|giving up on|drop the idea|dropping the idea)\b",
    r"\b(?:the )?(?:winner|choice|pick|plan|final \w+|venue|date|name|answer|colou?r|title) (?:is|will be|it is|stays)(?: going to be)? (?:the |an? )?\w+.{0,30}(?:final|then|it is|period|decided|settled)\b",
    r"\b[\w'-]+(?: [\w'-]+){0,2} it (?:is|shall be)(?:[.!,]|$| then)",
    r"\b(?:so be it|it's on|we have a (?:deal|winner|plan|decision)|consider it (?:done|settled|decided)|that settles it|count me (?:in|out)|i'm (?:in|out)|i'm sold|the die is cast|you've convinced me|fine, (?:we|i|let's))\b",
    r"\bi choose\b|\bmy (?:choice|pick|vote|decision|final answer|mind)(?: is|'s| goes| has)\b|\bi(?:'m| am) (?:set on|certain about|committed to|resolved|determined to|done (?:with|looking|deciding))\b",
    r"\b(?:we|i) (?:won't|will not|are not|aren't|am not|'re not) (?:be )?(?:going|buy|buying|do|doing|take|taking|use|using|move|moving|renew|renewing|hire|hiring|sell|selling|attend|attending|pursue|pursuing|launch|support|supporting|get|getting|sign|accept|apply|join|joining|build|change|extend|continue)\b",
    r"\b(?:team|board|family|committee|wife|husband|boss|management|client|both|everyone|we all|council|parents)(?: has| have| all)? (?:chose|agreed|voted|decided|approved|picked|settled|went (?:with|for)|signed off|opted|is on board|are on board|said yes)\b",
    r"\b(?:go|going) (?:ahead )?with (?:the |option |plan |version |variant |number )?\w+\b",
    r"\b(?:option|plan|variant|version|choice|candidate|design|offer|number) (?:[abc1-9]|one|two|three)\b(?:,? (?:then|please|it is|wins|is the one))",
    r"^(?:ok(?:ay)?|right|fine|good|done|yes|alright|all right|great)[,.:;!—–-]+ ?(?:then )?(?:we|i|it's|the)\b.{0,40}\b(?:take|keep|go|stay|drop|cancel|use|stick|buy|it is|choose|will|'ll)\b",
    r"\bwe(?:'re| are)? (?:doing|using|keeping|hosting|having|holding|launching|shipping|meeting|flying|driving|painting|naming|calling (?:it|the|him|her)|replacing|renting|hiring|inviting|serving|closing|splitting|sending|celebrating) .{1,50}(?:, (?:period|final|that's (?:it|final|settled|that))|instead|after all)\b",
    r"\bwent with\b|\blanded on\b|\bthat's what we(?:'re|'ll| will| are) (?:going|do|doing|us|take|go)\b|\bthat's the one\b|\bwe have chosen\b|\bthe decision\b",
    r"\b(?:instead of|rather than) .{1,40}[,;] (?:i'll|we'll|i will|we will|let's|i'm|we're)\b|\b(?:i'll|we'll|let's|i'm|we're) .{1,50}\b(?:instead|rather than|instead of)\b",
    r"\b(?:has been|have been|was|were|is|are) (?:now |officially |finally )?(?:decided|chosen|settled|approved|finali[sz]ed|called off|agreed|shelved)\b",
    r"\b(?:drop|forget|skip|cancel|scrap) (?:the|that|my) (?:idea|plan|plans|trip|option|project|gym membership|move|purchase|second option|first option)\b",
    r"\b(?:done|over|finished)(?: \w+)? (?:deliberating|deciding|weighing|thinking about it)\b",
    r"\bi(?:'m| am) (?:going with|not going|quitting|staying|in favou?r of going)\b",
];

const MERE_EN: [&str; 18] = [
    r"\b(?:can't|cannot|can not|couldn't|haven't|hasn't|have not|not|didn't|yet to|still|need to|have to|must|should|trying to|help me|before (?:i|we)|help us|hard to|unable to|until (?:i|we)|to|if (?:i|we)|when (?:i|we)|let you|you|they'll|will) (?:yet |really |still |fully |quite )?(?:decided?|deciding|make up (?:my|our) minds?|settle|choose|pick)\b(?: yet)?",
    r"\bundecided\b|\bin two minds\b|\bon the fence\b",
    r"\b(?:should|shall|could|would|might|may|maybe|perhaps|what if|if|whether|thinking (?:of|about)|considering|wondering|leaning) (?:\w+ ){0,5}(?:go(?:ing)? (?:with|for|ahead)|take|choose|pick|buy|cancel|opt|switch|quit|drop|keep|settle)\b",
    r"\b(?:let's|let us) (?:see|talk|discuss|think|try|look|have a look|say|begin|brainstorm|hope|go over|go through|go back|take a look|start(?: with the)?$|do it again|wait|make sure|have a)\b",
    r"\b(?:i'll|i will|we'll|we will) (?:see|think|try|let you|be|get back|check|look|ask|call you|tell|wait (?:and|for)|have to|need|probably|maybe|go (?:to (?:the|bed|sleep)|on vacation|home|now)|take a (?:look|break|nap|walk|shower)|do (?:that|it) later|do my best|pay you|be back)\b",
    r"\bi have to go\b|\bgoing (?:for|on) (?:a|an|my) (?:walk|run|swim|trip|holiday)\b|\bhow is it going\b|\bgoing to (?:the|be|rain|bed)\b",
    r"\bi take (?:it|that|the (?:bus|train|tube|stairs|metro)|my|sugar)\b|\bi use\b|\bi pick(?:ed)? (?:up|him|her|them|the kids)\b",
    r"\b(?:used|accept(?:ed|s)?) (?:cookies|card)\b",
    r"\b(?:what|which|why|how|who|when|where)\b.{0,30}\b(?:decided|agreed|chosen|picked|decision)\b",
    r"\bdecision (?:tree|making|maker|makers|theory|fatigue|matrix)\b",
    r"\bafter all (?:that|this|these|the|of|those|my|i)\b",
    r"\blet's go(?:[.!]|$)",
    r"\bthat's (?:it|that)\b(?:[.!,]|$)",
    r"\bwhat it is\b|\bhow it is\b|\bas it is\b|\bwhere it is\b|\bwho it is\b|\bthink it is\b|\bwhatever it is\b|\bthat it is\b|\btime it is\b|\bhowever it is\b|\bbut it is\b|\band it is\b|\bmuch it is\b|\bif it is\b|\bthan it is\b",
    r"\bsettled (?:in|into|down)\b",
    r"\bconfirmed (?:booking|reservation|case)\b",
    r"\bdeal with\b|\bgood deal\b|\bgreat deal\b|\bbig deal\b",
    r"\b(?:we're|we are|i'm|i am) (?:moving to \w+ in|going to \w+ (?:in|next)|having|meeting (?:with )?(?:my|a|the))\b",
];

const TELLING_ZH: [&str; 24] = [
    r"(?:定|决定|敲定|说定|谈定|拍板|选定|商定|约定|议定|内定|锁定)(?:了|下来|下|好|在|用|选|去|先|不|买|要|就|把|由|以|采|是|，|。|！|继续|留|辞|搬|报|让|从|取消|改|跟|按|放弃|接受|参加|换|租|请|给)",
    r"决定(?:了|好|是)?",
    r"就(?:按|照|听|依)[^，。！？]{1,10}(?:办|来|做|定|走|的吧)",
    r"就(?:这么|这样|那么|那样|按这个|照这个|照这样|依你|听你的)(?:定|办|着|吧|做|干|来|说定|了|决定)",
    r"(?:想|考虑|选|商量|谈|说|挑|看|琢磨|盘算|讨论|约|打定主意|拿定主意)(?:好|妥|定|清楚|明白|通)了?(?:[，。,！就，]|$|是|要|用|去|选|不|换|明年|下|还是|结果|我|了)",
    r"(?:打定|拿定|下定)(?:了)?(?:主意|决心)|心意已决|主意已定|一锤定音|板上钉钉|尘埃落定|木已成舟|不变了|不改了|最终方案|最终决定|最后决定|结论是|敲板",
    r"就(?:选|用|买|去|要|订|定|走|租|签|请|坐|投|挑|吃|叫|按|住|取|让|报|约|换|穿|留|做|办|去|拿|从|以|跟|听|考|读|学)(?:[^，。！？]{0,16})(?:吧|了|就行|好了|这个|那个|它|这家|那家|方案|版|号|套)",
    r"就(?:它|他|她|这个|那个|这家|那家|这套|这款|这版|这间|第.{1,2}(?:个|家|版|种|套|款|间)|方案.|[abc]方案|[abc])(?:了|吧|好了|，|。|$)",
    r"(?:最后|最终|结果|到底|终于|商量后|讨论后|比较后|对比后|比来比去|想来想去|思来想去|权衡|考虑再三|综合)(?:之后|后|下来|了一下|来看)?[，,]?.{0,8}(?:选|定|用|还是|决定|去|买|挑|走|采用|签|敲|留|租|投|报|拍)",
    r"(?:那|我们|我|咱们|咱|今年|这次|周末|晚上|明天|下周)?还是(?:选|用|走|去|买|坐|要|按|租|住|不|算|留|继续|放弃|在|回|订|换|开|吃|维持|做|从|报|请|搬|让|把|保留|先|照|给|叫|延|退|改|跟|签|约|考)[^？吗呢]{0,20}(?:吧|了|。|，|！|$)",
    r"(?:^|[，,。！ ])(?:还是)?算了(?:[，,。！吧]|$)",
    r"不(?:买|去|换|做|租|卖|搬|办|考|辞|投|签|要|改|参加|订|等|续|养|装|学|跳|离|读|开|请|用|走|上|干|找|比|结|接|玩|看房|报|来|续约|续费|生|追加|外包|合作)[^，。！？]{0,8}了(?:[，,。！]|$)",
    r"放弃|作罢|反悔|变卦|改(?:变)?(?:了)?主意|改变(?:了)?(?:计划|决定|想法)|推翻|撤销(?:了)?(?:原|之前|上次)?(?:的)?(?:决定|计划)|不再(?:比|考虑|纠结|讨论|看|犹豫|找|等|续|合作|招|改|变|选|跟进|投)|取消(?:了|掉|原|这个|旅行|婚礼|计划|合作|行程|活动)|黄了|泡汤|叫停|搁置|搁一搁|暂停(?:项目|合作|这个)|推迟到|延期到|延到|推到|提前到",
    r"(?:暂时|先|暂且|今年|目前|这次|这期|一期|第一版|这版|本期)(?:就)?(?:不)(?:做|买|去|上|换|搬|招|开|考虑|要|动|改|结|加|生|支持|装|签|办|投|搞|涨|扩)",
    r"(?:确定|确认|肯定|定死)(?:了|用|选|去|是|要|下来|不|参加|在|采用|好了|由|搬|走)",
    r"(?:我|我们|咱们|公司|团队|老板|家里|全家|大家|他们|领导|组里|董事会|双方|两边|爸妈|老婆|老公)?(?:都|也|已经|已|一致|最终)?(?:同意|通过|批准|批了|采纳|采用|选用|录用|签了|签约|拍板|接受|拒绝|拒了|推掉|答应|谈妥|谈成|达成一致|点头|敲定)(?:了)?",
    r"选(?:了|好|中|择)|挑(?:了|中|好)|(?:我|我们)(?:选|要|投)(?:第|[abcABC]|这|那|方案|蓝|红|白|黑|前|后)",
    r"成交|一言为定|不见不散|说好了|讲好了|约好了|谈好了|没得商量|不用再(?:比|看|讨论|商量|考虑|找|选|问)|别再(?:比|看|讨论|商量|纠结|找|选)|不纠结了|就此(?:打住|定|结束)|到此为止",
    r"(?:改|换)(?:成|为|到|去|用|坐|走|订|在|由|从)[^，。？！]{1,16}(?:了|吧)(?:[，,。！]|$)",
    r"(?:维持|按|照|保持)(?:原|老|现|之前的|原来的)(?:计划|方案|样|有|定|状|价|时间|安排)(?:不变|走|执行|来|进行|做)?",
    r"(?:定|安排|放|选|改|约|设|订|挪|推)在(?:了)?[^，。？！]{1,14}(?:办|举行|举办|开|见|吧|了|进行|结婚|搬家|上线|发布|出发|交付)",
    r"(?:那|好|行|好的|行吧|好吧|可以|嗯|ok)[，, ](?:那|就|我们|咱们|我|还是|那就)(?:就)?(?:选|用|买|去|要|订|定|走|租|签|请|坐|按|这|不|它|住|留|吃)",
    r"(?:^|[，,。 ])(?:我|我们|咱们)(?:就|明年|下个月|年底|今年|下周|下半年|年后)?(?:要|去)?(?:辞职|离职|退学|离婚|结婚|跳槽|转行|裸辞|退出|退租|出国)(?:了|，|。|$)",
    r"(?:不再|停止|终止|中止|弃用)(?:使用|这个|续|合作|该|项目|功能|那个)",
];

const MERE_ZH: [&str; 16] = [
    r"(?:还|仍|尚|一直|暂时)?(?:没|没有|未|未能|不能|无法|难以|还没有?|没法|迟迟没|不好|很难|怎么|如何|帮我|帮忙|让我|替我|来|需要|由你|你来|再|等你|先别|不知道怎么)(?:有)?(?:想|考虑|决|确|选|商量|谈|敲|定|拿|做)(?:好|定|妥|清楚|出)?(?:下来|决定|主意|了)?",
    r"(?:从没|没有?|不曾|未曾|尚未|还没|别)(?:有)?(?:说过?)?(?:要)?(?:答应|同意|接受|通过|批准|确定|签|取消|放弃)(?:过)?|不用了|不要紧|不买单",
    r"决定(?:不了|不下来|因素|性|权|于|论|树|书)|待定|不一定|一定|固定|稳定|规定|设定|鉴定|假定|指定|肯定会|否定|预定|法定|限定|测定|定位|定义|定时|定期|定制|制定|协定|特定|必定|认定|判定|评定|淡定|镇定",
    r"要不要|该不该|是不是|能不能|好不好|行不行|选哪|哪个好|买哪|用哪|去哪|怎么选|如何选|应不应该|值不值",
    r"(?:如果|要是|假如|万一|除非|若|倘若|是否|考虑|在想|打算|也许|可能|或许|大概|犹豫|想着|琢磨|建议|正在考虑|纠结).{0,14}(?:决定|放弃|取消|不.了|选|定|辞职|同意|接受|改|换|还是|跳槽|转行|离职)",
    r"选择题|选择困难|选项|候选|选手|选修|选举|挑战|挑食|挑剔",
    r"同意(?:书|吗|条款)|接受(?:采访|治疗|过|不了)|拒绝(?:访问|率|服务)|通过(?:邮件|电话|微信|这|那|率|他|她|网|考|什么|分析)",
    r"算了(?:一|下|算|笔|个|吧？)",
    r"我(?:很|真的|不)?(?:确定|肯定)(?:吗|不了)|不(?:确定|肯定)",
    r"说好了吗|讲好",
    r"请(?:确认|确定)|确认(?:一下|邮件|码|函|收到|下)|确定(?:一下|吗)",
    r"(?:帮我|请|麻烦|把).{0,12}(?:取消|放弃|暂停|推迟|改到|提前到|停止|关掉)",
    r"就(?:是|要|会|像|算|有|叫|在)(?:说|来|到|的)",
    r"还是(?:不(?:太|懂|明白|行|会|清楚|舒服|能|对)|要看|没|有点|很|得看|说|会|那么|一样|老样|在想)",
    r"改(?:成|为)[^，。]{0,10}(?:吗|怎么样)",
    r"锁定在|定在(?:哪|什么)",
];

/// Whether a sentence settles or unsettles a choice.
pub(super) fn stands_in(sentence: &Sentence<'_>) -> bool {
    !sentence.question && PHRASES.found(sentence)
}

#[cfg(test)]
pub(super) fn compiles() -> bool {
    PHRASES.whole(EN, ZH)
}
