//! Against the model's bias for its own language.
//!
//! The model puts each language into a corner of its own, so that a Chinese question finds any Chinese
//! note before the right English one. The mean of everyday sentences, the same ones in each language,
//! says where a corner lies; what is left after it is subtracted is mostly meaning.

use crate::Kind;
use crate::network::normalise;

/// The writing of a text, as far as it tells where the model puts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Script {
    /// English and most languages of Europe, America and Africa.
    Latin,
    /// Chinese.
    Han,
    /// Japanese.
    Kana,
    /// Korean.
    Hangul,
    /// Russian and its neighbours.
    Cyrillic,
    /// Anything else, numbers alone included.
    Other,
}

impl Script {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Latin, Self::Han, Self::Kana, Self::Hangul, Self::Cyrillic, Self::Other];

    /// The script that carries most of a text. A Chinese character says about as much as three letters.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let [mut latin, mut han, mut kana, mut hangul, mut cyrillic, mut other] = [0_u32; 6];
        for c in text.chars().take(4_000) {
            match c {
                'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' => latin += 1,
                '\u{3040}'..='\u{30ff}' | '\u{ff66}'..='\u{ff9f}' => kana += 3,
                '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => {
                    han += 3;
                }
                '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}' => hangul += 3,
                '\u{400}'..='\u{52f}' => cyrillic += 1,
                c if c.is_alphabetic() => other += 1,
                _ => {}
            }
        }
        // Japanese writes its words in Chinese characters and the rest in kana.
        if kana * 5 > han {
            kana += han;
            han = 0;
        }
        let counts = [
            (latin, Self::Latin),
            (han, Self::Han),
            (kana, Self::Kana),
            (hangul, Self::Hangul),
            (cyrillic, Self::Cyrillic),
            (other, Self::Other),
        ];
        let most = counts.into_iter().max_by_key(|(count, _)| *count);
        most.filter(|(count, _)| *count > 0).map_or(Self::Other, |(_, script)| script)
    }

    /// How it is named where it is stored.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Latin => "latin",
            Self::Han => "han",
            Self::Kana => "kana",
            Self::Hangul => "hangul",
            Self::Cyrillic => "cyrillic",
            Self::Other => "other",
        }
    }
}

/// The sentences whose mean is the centre of a script, for one kind of text.
#[must_use]
pub fn sentences(kind: Kind, script: Script) -> Vec<&'static str> {
    let lines = |text: &'static str| text.lines();
    match script {
        Script::Latin if kind == Kind::Query => lines(ENGLISH_ASKED).collect(),
        Script::Han if kind == Kind::Query => lines(CHINESE_ASKED).collect(),
        Script::Latin => lines(ENGLISH).collect(),
        Script::Han => lines(CHINESE).collect(),
        Script::Kana => lines(JAPANESE).collect(),
        Script::Hangul => lines(KOREAN).collect(),
        Script::Cyrillic => lines(RUSSIAN).collect(),
        Script::Other => {
            let all = [ENGLISH, CHINESE, JAPANESE, KOREAN, RUSSIAN];
            all.into_iter().flat_map(|text| lines(text).take(8)).collect()
        }
    }
}

/// A vector without what it has from its language alone, of length one again.
#[must_use]
pub fn centred(vector: &[f32], centre: &[f32]) -> Vec<f32> {
    let mut rest: Vec<f32> = vector.iter().zip(centre).map(|(x, mean)| x - mean).collect();
    normalise(&mut rest);
    rest
}

/// What people say to an assistant: messages and questions, whose corner is another than that of notes.
const ENGLISH_ASKED: &str = "\
I finally finished moving the boxes today! My back hurts, but the room looks so much bigger now. What should I put on the empty wall?
My sister and I had an argument this morning. She says I never listen to her. I feel bad about it. How can I make it up to her?
Guess what, I was invited to speak at the conference! I'm excited, but also really nervous. Do you think I should prepare slides?
It has been raining all week and I can't go outside. I'm so bored! Do you know something fun to do at home?
I tried to bake bread yesterday, but it came out hard as a stone. Maybe the oven was too hot? I want to try again on Sunday.
My old bike broke down on the way to work. I had to walk for an hour. Should I repair it or buy a new one?
I can't sleep lately. I keep thinking about the exam next week. What if I fail it again?
Our neighbour gave us a huge pumpkin! I have never cooked one before. Any ideas what we could make of it?
I saw an old friend at the station today, but he didn't recognise me. It made me a little sad. Should I write to him?
The new game is so good! I played it until midnight. Mum says I should read more instead. What do you think?
I got a strange letter from the bank. It says I owe them money, but I paid everything. What should I do now?
We are going to the mountains next month! I have no idea what to pack. It will be cold there, won't it?
Where did I put the warranty card?
When is the next appointment?
What was the name of the hotel?
How much did we pay for it?
Who told me about the course?
Which colour does she like?
Why did they cancel the trip?
Do you remember what I said about my job?
What did you recommend to me last time?
How long did it take to get there?
What happened after the meeting?
Is there anything I must not forget?";

const CHINESE_ASKED: &str = "\
我今天终于把箱子都搬完了！腰好酸，不过房间看起来大多了。空着的那面墙放点什么好呢？
早上我和妹妹吵架了。她说我从来不听她说话。我有点难过。我该怎么跟她和好呢？
你猜怎么着，我被邀请去大会上发言了！好激动，可是也很紧张。你觉得我要不要准备幻灯片？
下了一个星期的雨，我都不能出门，好无聊啊！你知道在家可以玩什么吗？
昨天我试着烤面包，结果硬得像石头。是不是烤箱太热了？我想周日再试一次。
我的旧自行车在上班路上坏了，走了一个小时。我是修一修还是买辆新的呢？
我最近总是睡不着，一直在想下周的考试。要是又没考好怎么办？
邻居送了我们一个好大的南瓜！我从来没做过。你说可以做成什么呢？
今天我在车站看到一个老朋友，可是他没认出我来，我有点失落。要不要给他写封信？
新出的游戏太好玩了！我玩到半夜。妈妈说我应该多看书。你怎么看？
我收到银行一封奇怪的信，说我欠他们钱，可是我都还清了。现在该怎么办？
我们下个月要去山里玩！我不知道该带什么，那里会很冷吧？
保修卡我放在哪里了？
下一次预约是什么时候？
那家酒店叫什么名字？
我们一共付了多少钱？
是谁告诉我那门课的？
她喜欢哪种颜色？
他们为什么取消了旅行？
你还记得我说过的工作的事吗？
上次你给我推荐了什么？
到那里花了多长时间？
会议之后发生了什么？
有什么我一定不能忘记的？";

const ENGLISH: &str = "\
The train to the north leaves at half past seven.
I would like to book a table for four people tonight.
Her brother works as a nurse in a small hospital.
We spent the whole weekend repairing the roof.
The new version of the program is much faster.
My favourite soup is made with tomatoes and basil.
Please send me the invoice before the end of the month.
The children are learning to swim this summer.
He forgot his umbrella and got completely wet.
Our meeting about the budget was moved to Thursday.
I have been reading a novel about the sea.
The doctor told me to drink more water.
They adopted a grey cat from the shelter.
The password of the old computer does not work any more.
She plays the violin and sings in a choir.
The rent went up by five percent this year.
I am afraid of flying, so we took the car.
The garden needs water every evening.
Grandmother turns eighty in October.
The team won the match in the last minute.
I do not eat meat, but fish is fine.
The contract must be signed by both sides.
We watched a film about a lost city.
Remind me to call the plumber tomorrow morning.";

const CHINESE: &str = "\
往北去的火车七点半开。
我想订一张今晚四个人的桌子。
她的哥哥在一家小医院当护士。
我们整个周末都在修屋顶。
这个程序的新版本快多了。
我最喜欢的汤是用番茄和罗勒做的。
请在月底之前把发票寄给我。
孩子们今年夏天在学游泳。
他忘了带伞，全身都淋湿了。
我们的预算会议改到了星期四。
我一直在读一本关于大海的小说。
医生让我多喝水。
他们从收容所领养了一只灰猫。
旧电脑的密码不能用了。
她拉小提琴，还参加合唱团。
今年房租涨了百分之五。
我害怕坐飞机，所以我们开车去。
花园每天傍晚都要浇水。
奶奶十月份满八十岁。
球队在最后一分钟赢了比赛。
我不吃肉，但是可以吃鱼。
合同必须由双方签字。
我们看了一部关于失落之城的电影。
提醒我明天早上给水管工打电话。";

const JAPANESE: &str = "\
北へ行く電車は七時半に出ます。
今夜四人で席を予約したいです。
彼女の兄は小さな病院で看護師をしています。
私たちは週末ずっと屋根を直していました。
このプログラムの新しい版はずっと速いです。
私の好きなスープはトマトとバジルで作ります。
月末までに請求書を送ってください。
子どもたちは今年の夏に水泳を習っています。
彼は傘を忘れて、すっかり濡れてしまいました。
予算の会議は木曜日に変わりました。
海についての小説をずっと読んでいます。
医者にもっと水を飲むように言われました。
彼らは保護施設から灰色の猫を引き取りました。
古いパソコンのパスワードはもう使えません。
彼女はバイオリンを弾き、合唱団で歌っています。
今年は家賃が五パーセント上がりました。
飛行機が怖いので、車で行きました。
庭は毎晩水をやる必要があります。
祖母は十月に八十歳になります。
チームは最後の一分で試合に勝ちました。
肉は食べませんが、魚は大丈夫です。
契約書は双方が署名しなければなりません。
失われた都市についての映画を見ました。
明日の朝、水道屋に電話するのを思い出させてください。";

const KOREAN: &str = "\
북쪽으로 가는 기차는 일곱 시 반에 떠납니다.
오늘 저녁 네 명 자리를 예약하고 싶어요.
그녀의 오빠는 작은 병원에서 간호사로 일합니다.
우리는 주말 내내 지붕을 고쳤습니다.
이 프로그램의 새 버전은 훨씬 빠릅니다.
내가 좋아하는 수프는 토마토와 바질로 만듭니다.
이번 달 말까지 청구서를 보내 주세요.
아이들은 올여름에 수영을 배우고 있습니다.
그는 우산을 잊고 나와서 완전히 젖었습니다.
예산 회의는 목요일로 옮겨졌습니다.
나는 바다에 관한 소설을 읽고 있습니다.
의사가 물을 더 많이 마시라고 했어요.
그들은 보호소에서 회색 고양이를 입양했습니다.
오래된 컴퓨터의 비밀번호가 더 이상 맞지 않습니다.
그녀는 바이올린을 켜고 합창단에서 노래합니다.
올해 집세가 오 퍼센트 올랐습니다.
비행기가 무서워서 차를 타고 갔습니다.
정원은 매일 저녁 물을 주어야 합니다.
할머니는 시월에 여든 살이 됩니다.
팀은 마지막 순간에 경기를 이겼습니다.
고기는 안 먹지만 생선은 괜찮아요.
계약서에는 양쪽이 서명해야 합니다.
우리는 잃어버린 도시에 관한 영화를 봤습니다.
내일 아침 배관공에게 전화하라고 알려 주세요.";

const RUSSIAN: &str = "\
Поезд на север отправляется в половине восьмого.
Я хотел бы заказать столик на четверых сегодня вечером.
Её брат работает медбратом в маленькой больнице.
Мы все выходные чинили крышу.
Новая версия программы гораздо быстрее.
Мой любимый суп готовят из помидоров и базилика.
Пришлите мне счёт до конца месяца.
Этим летом дети учатся плавать.
Он забыл зонт и совсем промок.
Наше собрание о бюджете перенесли на четверг.
Я читаю роман о море.
Врач велел мне пить больше воды.
Они взяли из приюта серую кошку.
Пароль от старого компьютера больше не подходит.
Она играет на скрипке и поёт в хоре.
В этом году аренда выросла на пять процентов.
Я боюсь летать, поэтому мы поехали на машине.
Сад нужно поливать каждый вечер.
Бабушке в октябре исполнится восемьдесят.
Команда выиграла матч на последней минуте.
Я не ем мясо, но рыбу можно.
Договор должны подписать обе стороны.
Мы посмотрели фильм о потерянном городе.
Напомни мне завтра утром позвонить сантехнику.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_script_that_carries_it() {
        for (text, script) in [
            ("Tea in the garden", Script::Latin),
            ("用 Python 写代码，不要用 C", Script::Han),
            ("東京タワーに行きたい", Script::Kana),
            ("서울 회의 일정", Script::Hangul),
            ("Привет, world", Script::Cyrillic),
            ("مرحبا", Script::Other),
            ("2026-12-01 🙂", Script::Other),
            ("", Script::Other),
        ] {
            assert_eq!(Script::of(text), script, "{text}");
        }
    }

    #[test]
    fn each_script_has_sentences_of_its_own() {
        for script in Script::ALL {
            for kind in [Kind::Query, Kind::Passage] {
                assert!(sentences(kind, script).len() >= 24);
                let own =
                    sentences(kind, script).into_iter().all(|text| Script::of(text) == script);
                assert!(own || script == Script::Other, "{script:?}");
            }
        }
    }

    #[test]
    fn what_is_left_has_length_one() {
        let rest = centred(&[0.8, 0.6], &[0.8, 0.0]);
        assert_eq!(rest, [0.0, 1.0]);
    }
}
