-- Written by python_texts.py with Python 3.11.7.
-- luacheck: no max line length
local NA = require("lunarray").na

return {
    { separator = ",", text = "a,b,c\nx0,x1,x2\n",
        columns = {
            { "x0" },
            { "x1" },
            { "x2" },
        } },
    { separator = ",", text = "a,b,c\nx0,x1,x2\nNA, ,\"é1,\"\" 10#\"\"'\"\n",
        columns = {
            { "x0", "NA" },
            { "x1", " " },
            { "x2", "é1,\" 10#\"'" },
        } },
    { separator = ",", text = "a,b,c\nx0,x1,x2\ntrue,\"\\1-,#Ω'-\t\",NA\n,,2024-01-05\n#-\tΩé|a#0\t.,xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx,\n\"\r\na| 0.a\r\n漢|\r\n😀\",;|,  \n\"'\"\"\r\n\"\"|éB1\",\" 'é.1\r\nB\r\n\t-\",\\漢0Ω\\1-0;\\\nnull,Ω😀1.,#1Ω\n\"a\\'aΩ,é\",Ω#é0,\n\"a\t\r\n#.\n 漢1|.\",,\"\\a\\,\r\n\"\n\t;-1\t-é;B;,\"😀.. \n\"\"\",'\\-a\n2024-01-05,\"\n \",null\nΩ;1ΩB#😀|',,\"\n-\"\n\"漢#\n1'漢.#\",\"#\t\t\n\",\"Ω😀é\\,0\t'\t\"\"é\"\"\"\n,true,\"\r\n\"\n,\"\\a#..\r\nB\n\",\"B|.1\r\n\"\n;#,|,\"\n\tΩ😀\tΩ\r\n|\"\n\"\n-1\r\n0 ;\n.Ω\",xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx,\";-;\\,-é\"\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx,\".,\",\\0a \n\".\r\n.\\|\n\",\"\n\",NA\n\"|\"\"\r\n\té|😀é\na\\\",\"😀 漢\n|\\0'\t\",😀;\n\", a.\r\n;a\\B##\",\";1|\r\n\n-\n\",0漢' ;;\n\"😀\\\"\"Ω#Ω\",\"\ta,'.11\",\"Ω,-\n\\\\;-\"\n\"漢0\"\";漢;|;\",\"漢\tB\r\nB\\ é.'#\",\n\\é😀'\\#é#-,  ,1e5\n\"\"\"漢-漢1\n😀|\",2024-01-05,long text of more than twelve bytes\nlong text of more than twelve bytes,Ω1😀''|,\"a,\"\n,null,null\n\"\"\"\"\"\t\",'Ω,NA\n2024-01-05,0,\n\"\r\n;;\",\"漢é 1\\a|#\"\"0é#\",\n2024-01-05,long text of more than twelve bytes,\"Ω漢Ω##-,a😀| 漢\"\nNA,\"1\r\n\n;1.##\",\"-\r\n0 \\,-a0 \té\"\nnull,NA,1e5\n\",0,\r\n-\",\"aaΩ||#\r\n\",éa\n1e5,,\"\"\"\"\n  ,\"\\\r\n|漢;\t,;|\r\n \",true\n\"\n\t漢B,B| \",\"\n \t'B\"\";\té\",\"漢'\\,.\n\t.1|\r\n\"\n  ,\"a#B\n\",\"\\\n\"\n\"Ω漢\n.😀' |-\",\"\"\"漢a\",\";a\n-|,Ωa,\"\nnull,null,\n",
        columns = {
            { "x0", "true", NA, "#-\tΩé|a#0\t.", "\r\na| 0.a\r\n漢|\r\n😀", "'\"\r\n\"|éB1", "null", "a\\'aΩ,é", "a\t\r\n#.\n 漢1|.", "\t;-1\t-é;B;", "2024-01-05", "Ω;1ΩB#😀|'", "漢#\n1'漢.#", NA, NA, ";#", "\n-1\r\n0 ;\n.Ω", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", ".\r\n.\\|\n", "|\"\r\n\té|😀é\na\\", ", a.\r\n;a\\B##", "😀\\\"Ω#Ω", "漢0\";漢;|;", "\\é😀'\\#é#-", "\"漢-漢1\n😀|", "long text of more than twelve bytes", NA, "\"\"\t", "2024-01-05", "\r\n;;", "2024-01-05", "NA", "null", ",0,\r\n-", "1e5", "  ", "\n\t漢B,B| ", "  ", "Ω漢\n.😀' |-", "null" },
            { "x1", "\\1-,#Ω'-\t", NA, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", ";|", " 'é.1\r\nB\r\n\t-", "Ω😀1.", "Ω#é0", NA, "😀.. \n\"", "\n ", NA, "#\t\t\n", "true", "\\a#..\r\nB\n", "|", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", ".,", "\n", "😀 漢\n|\\0'\t", ";1|\r\n\n-\n", "\ta,'.11", "漢\tB\r\nB\\ é.'#", "  ", "2024-01-05", "Ω1😀''|", "null", "'Ω", "0", "漢é 1\\a|#\"0é#", "long text of more than twelve bytes", "1\r\n\n;1.##", "NA", "aaΩ||#\r\n", NA, "\\\r\n|漢;\t,;|\r\n ", "\n \t'B\";\té", "a#B\n", "\"漢a", "null" },
            { "x2", "NA", "2024-01-05", NA, "  ", "\\漢0Ω\\1-0;\\", "#1Ω", NA, "\\a\\,\r\n", "'\\-a", "null", "\n-", "Ω😀é\\,0\t'\t\"é\"", "\r\n", "B|.1\r\n", "\n\tΩ😀\tΩ\r\n|", ";-;\\,-é", "\\0a ", "NA", "😀;", "0漢' ;;", "Ω,-\n\\\\;-", NA, "1e5", "long text of more than twelve bytes", "a,", "null", "NA", NA, NA, "Ω漢Ω##-,a😀| 漢", "-\r\n0 \\,-a0 \té", "1e5", "éa", "\"", "true", "漢'\\,.\n\t.1|\r\n", "\\\n", ";a\n-|,Ωa,", NA },
        } },
    { separator = ",", text = "\"a\",\"b\",\"c\"\r\n\"x0\",\"x1\",\"x2\"\r\n",
        columns = {
            { "x0" },
            { "x1" },
            { "x2" },
        } },
    { separator = ",", text = "\"a\",\"b\",\"c\"\r\n\"x0\",\"x1\",\"x2\"\r\n\"null\",\"\"\"1 -  ;B'Ω\r\n1\",\"|'0aΩ\"\r\n",
        columns = {
            { "x0", "null" },
            { "x1", "\"1 -  ;B'Ω\r\n1" },
            { "x2", "|'0aΩ" },
        } },
    { separator = ",", text = "\"a\",\"b\",\"c\"\r\n\"x0\",\"x1\",\"x2\"\r\n\"B\n'\",\"\",\"true\"\r\n\"NA\",\"\n|#\",\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\r\n\"\t0漢a#\\B\",\"B| Ω\t\t'.#;Ω1\",\"\na\\\"\r\n\"é\\.\",\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\",\"-é1\"\r\n\"true\",\"B\n ; 'a\",\"a.é#\"\r\n\"漢 \t\n0.\",\",.😀B\\Ω-1B😀#\",\"long text of more than twelve bytes\"\r\n\"B'\",\"'漢1'漢\\.漢B-\",\"\n漢B😀\\\"\r\n\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\",\"aΩ\r\n\t\t\n\"\"a,Baé\",\"007\"\r\n\"0',,\t\"\"1\r\n\",\"\",\" \"\r\n\"--|\",\"007\",\"\téB \"\"\"\r\n\"#'0.a'-\",\"\r\n\r\n-0.\\,漢漢'\n\",\"-\té0é.\r\n;\"\"漢B\"\r\n\"a\r\n\n漢\né-'Ωé \",\"😀 \t\",\"'é\n\\Ωa0é\"\r\n\"\r\n\r\né\tΩ -Ω\",\"\",\"true\"\r\n\"a#漢a ',漢.😀\",\"0\",\"漢Ω\"\r\n\"|Ω \"\"Ω\",\"\",\",😀B\n\"\".\n'#\"\r\n\"Ω;漢|.\"\"0\t😀;\",\"-éB |.\",\"\\Ω'\"\",\"\r\n\";\",\";aa,##a\",\"😀aa#,;漢\n-'\"\r\n\"\",\"NA\",\"null\"\r\n\"\\\\\t;\\.漢Ω\"\" \"\"\",\"long text of more than twelve bytes\",\"😀-B\n\\\"\r\n\"\",\"漢'#é0\"\"|'\"\"\",\",😀😀\"\r\n\". \r\n \t\",\"é1\",\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\r\n\";B😀'\\ \"\"',\",\",#\\\t \r\né漢-漢'é\",\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\r\n\"null\",\"漢 \"\"'\",\"null\"\r\n\"\n B|é\n\\\\\",\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\",\"\"\"|\r\n\"\r\n\"\\é'. ;😀\n\",\"😀\né'\nΩ0\t'\",\"\\ |\r\n\n-\\.漢\"\r\n\"null\",\"\",\"  \"\r\n\"é#éa😀1😀1Ω-\",\",0-\\\t漢\",\"\ta\\\n\\Ω\n\"\r\n\"true\",\"a\",\"😀|0\n,é0Ω1😀\"\r\n\".,é😀éB\r\n\tB\t\",\"#0😀😀ΩΩ-.😀|\"\"\n\",\"2024-01-05\"\r\n\"\n\",\"true\",\"null\"\r\n\"😀B\",\"NA\",\"é\t a😀\"\r\n\"null\",\"'é'a\t0\n éΩ\",\"1e5\"\r\n\" .1|.' -\",\"\r\n;\",\"é漢;#0\n1|Ω\"\r\n\"NA\",\"Ω|- ,B\",\"\r\n\\aé\"\r\n\"2024-01-05\",\"\r\n. Ω.é\"\"漢 😀😀\",\"true\"\r\n\"é\",\"Ω\nΩ\n \",\",\nBa|#;\"\r\n\"-,1Ba|\",\"漢\",\"  \"\r\n\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\",\"\",\"  \"\r\n\"2024-01-05\",\"\n\"\" \\\r\n||0漢\t.0\",\"Ωé\t\"\r\n",
        columns = {
            { "x0", "B\n'", "NA", "\t0漢a#\\B", "é\\.", "true", "漢 \t\n0.", "B'", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "0',,\t\"1\r\n", "--|", "#'0.a'-", "a\r\n\n漢\né-'Ωé ", "\r\n\r\né\tΩ -Ω", "a#漢a ',漢.😀", "|Ω \"Ω", "Ω;漢|.\"0\t😀;", ";", "", "\\\\\t;\\.漢Ω\" \"", "", ". \r\n \t", ";B😀'\\ \"',", "null", "\n B|é\n\\\\", "\\é'. ;😀\n", "null", "é#éa😀1😀1Ω-", "true", ".,é😀éB\r\n\tB\t", "\n", "😀B", "null", " .1|.' -", "NA", "2024-01-05", "é", "-,1Ba|", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "2024-01-05" },
            { "x1", "", "\n|#", "B| Ω\t\t'.#;Ω1", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "B\n ; 'a", ",.😀B\\Ω-1B😀#", "'漢1'漢\\.漢B-", "aΩ\r\n\t\t\n\"a,Baé", "", "007", "\r\n\r\n-0.\\,漢漢'\n", "😀 \t", "", "0", "", "-éB |.", ";aa,##a", "NA", "long text of more than twelve bytes", "漢'#é0\"|'\"", "é1", ",#\\\t \r\né漢-漢'é", "漢 \"'", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "😀\né'\nΩ0\t'", "", ",0-\\\t漢", "a", "#0😀😀ΩΩ-.😀|\"\n", "true", "NA", "'é'a\t0\n éΩ", "\r\n;", "Ω|- ,B", "\r\n. Ω.é\"漢 😀😀", "Ω\nΩ\n ", "漢", "", "\n\" \\\r\n||0漢\t.0" },
            { "x2", "true", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "\na\\", "-é1", "a.é#", "long text of more than twelve bytes", "\n漢B😀\\", "007", " ", "\téB \"", "-\té0é.\r\n;\"漢B", "'é\n\\Ωa0é", "true", "漢Ω", ",😀B\n\".\n'#", "\\Ω'\",", "😀aa#,;漢\n-'", "null", "😀-B\n\\", ",😀😀", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "null", "\"|\r\n", "\\ |\r\n\n-\\.漢", "  ", "\ta\\\n\\Ω\n", "😀|0\n,é0Ω1😀", "2024-01-05", "null", "é\t a😀", "1e5", "é漢;#0\n1|Ω", "\r\n\\aé", "true", ",\nBa|#;", "  ", "  ", "Ωé\t" },
        } },
    { separator = ";", text = "a;b;c\r\nx0;x1;x2\r\n",
        columns = {
            { "x0" },
            { "x1" },
            { "x2" },
        } },
    { separator = ";", text = "a;b;c\r\nx0;x1;x2\r\n\"1😀'-B\r\n\"\"'\";漢-漢'\\;\"1\tB;,|\\0\"\r\n",
        columns = {
            { "x0", "1😀'-B\r\n\"'" },
            { "x1", "漢-漢'\\" },
            { "x2", "1\tB;,|\\0" },
        } },
    { separator = ";", text = "a;b;c\r\nx0;x1;x2\r\n007;null;\".-\t#B;\\\"\r\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx;;xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\ntrue;\\#1;\"a\r\n\\😀\"\r\n,漢漢0B0 ,0;;  \r\n;\"😀\r\n\t|\";aB.a\r\n\"0-Ω,\r\n漢.\";\" ;\";1e5\r\nnull;\",1\"\"\"\"漢\\Ω\";\"-1 \r\na'😀,\n#\"\r\nΩ 0\\\tB0 😀;1e5;Ωé\t-\r\n\"\tΩ\"\"漢é\"\".11\";xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx;漢a漢|😀ΩB😀\r\n  ;\"|\t\r\n \n#\r\n\n😀Ω漢\";\"é\"\"\n.;漢BΩ\n\"\r\n\"0;B1\\\n '\";\"\t.\"\"a😀#BΩ\";\",B,\"\"Ω'.é Ω\"\r\nnull;,' \\'-;NA\r\na;éΩé0éΩ'漢😀#;null\r\nlong text of more than twelve bytes;;true\r\n;xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx;1e5\r\n\"\t漢;漢\\'a#Ωa\n|\";0.;null\r\n漢;1e5;\t#0\r\nnull;  ;null\r\n\"1Ω;.Ω-#|-;BΩ\";\"\\a\t.\r\n\";\r\n aΩ;\"-;,#\";\"\n0,|'\"\r\néa;1e5;NA\r\n\"1\"\"0|Bé\"\"'#|,\";漢é.|;\";\"\r\n\"\\#\na\t11😀#|,\";é;\r\n1e5;\"漢;a\"\"\";\r\n\"--1-漢\"\"\t\tΩé\r\n\\\";  ;\".;10\"\"#Ω漢-\"\r\n;NA;\"漢\nB#\"\r\n\";Ω\t;😀\"\"B;Ω\";\\||é;\"\n\"\r\nNA;long text of more than twelve bytes;NA\r\n\"漢.😀\"\"\tB漢\r\n\";  ;\té\r\nNA;true;\"\\漢\r\n😀Ω- \"\r\n漢,é;\";0\\Ω\";\",\r\nΩ-aéa\"\r\n,;true;\"\t\nΩ\"\" \r\nB0\\,漢\"\r\n\"#\"\" a\tB',\";\",##0\né.\";1e5\r\nnull;1e5;\";漢||.\\\"\r\n\"#\t\\-\\|\"\"\n\tB漢\r\n\";null;007\r\nnull;\"漢é\n|Ω\t\t\n\";007\r\n\"😀'01#B;Ω\n1\\ \";漢\t\\a;\"\n,B00Ω\"\"\"\r\n\"|B\n\";1e5;\"é;;\\B\"\r\n\"\t\\ \r\n\né;\";\"\t漢\r\n1\t.\t0.#\";\"-é\r\n\\\"\r\n",
        columns = {
            { "x0", "007", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "true", ",漢漢0B0 ,0", NA, "0-Ω,\r\n漢.", "null", "Ω 0\\\tB0 😀", "\tΩ\"漢é\".11", "  ", "0;B1\\\n '", "null", "a", "long text of more than twelve bytes", NA, "\t漢;漢\\'a#Ωa\n|", "漢", "null", "1Ω;.Ω-#|-;BΩ", " aΩ", "éa", "1\"0|Bé\"'#|,", "\\#\na\t11😀#|,", "1e5", "--1-漢\"\t\tΩé\r\n\\", NA, ";Ω\t;😀\"B;Ω", "NA", "漢.😀\"\tB漢\r\n", "NA", "漢,é", ",", "#\" a\tB',", "null", "#\t\\-\\|\"\n\tB漢\r\n", "null", "😀'01#B;Ω\n1\\ ", "|B\n", "\t\\ \r\n\né;" },
            { "x1", "null", NA, "\\#1", NA, "😀\r\n\t|", " ;", ",1\"\"漢\\Ω", "1e5", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "|\t\r\n \n#\r\n\n😀Ω漢", "\t.\"a😀#BΩ", ",' \\'-", "éΩé0éΩ'漢😀#", NA, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "0.", "1e5", "  ", "\\a\t.\r\n", "-;,#", "1e5", "漢é.|", "é", "漢;a\"", "  ", "NA", "\\||é", "long text of more than twelve bytes", "  ", "true", ";0\\Ω", "true", ",##0\né.", "1e5", "null", "漢é\n|Ω\t\t\n", "漢\t\\a", "1e5", "\t漢\r\n1\t.\t0.#" },
            { "x2", ".-\t#B;\\", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "a\r\n\\😀", "  ", "aB.a", "1e5", "-1 \r\na'😀,\n#", "Ωé\t-", "漢a漢|😀ΩB😀", "é\"\n.;漢BΩ\n", ",B,\"Ω'.é Ω", "NA", "null", "true", "1e5", "null", "\t#0", "null", NA, "\n0,|'", "NA", ";", NA, NA, ".;10\"#Ω漢-", "漢\nB#", "\n", "NA", "\té", "\\漢\r\n😀Ω- ", ",\r\nΩ-aéa", "\t\nΩ\" \r\nB0\\,漢", "1e5", ";漢||.\\", "007", "007", "\n,B00Ω\"", "é;;\\B", "-é\r\n\\" },
        } },
    { separator = "\t", text = "\"a\"\t\"b\"\t\"c\"\n\"x0\"\t\"x1\"\t\"x2\"\n",
        columns = {
            { "x0" },
            { "x1" },
            { "x2" },
        } },
    { separator = "\t", text = "\"a\"\t\"b\"\t\"c\"\n\"x0\"\t\"x1\"\t\"x2\"\n\"  \"\t\"😀;,\"\t\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\n",
        columns = {
            { "x0", "  " },
            { "x1", "😀;," },
            { "x2", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" },
        } },
    { separator = "\t", text = "\"a\"\t\"b\"\t\"c\"\n\"x0\"\t\"x1\"\t\"x2\"\n\"\r\nB漢\\.漢\"\t\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\t\";;\"\n\";,;;\\😀Ω\"\"😀\n\"\t\"2024-01-05\"\t\"long text of more than twelve bytes\"\n\".|\r\naa\\a\"\",.B\"\t\"Ωa\té\"\t\"007\"\n\"\n😀\"\t\"true\"\t\"007\"\n\"a\n\"\"'0\n\"\t\"long text of more than twelve bytes\"\t\"-0\"\"'漢-\"\n\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\t\",é\"\"|,\"\t\"\\aB\"\"😀|\"\n\"1\"\t\"\\;\\,-11Ba-\"\t\"007\"\n\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\t\"\r\n漢\"\",\r\n😀..\"\t\"  \"\n\"\"\"\\\n漢;a,0;\"\t\"NA\"\t\"true\"\n\".1\\Ω.\t'Ω\"\t\"漢-.\r\n漢\"\t\"1-é\r\n;.\"\n\"2024-01-05\"\t\"\"\t\"\"\n\"-Ω\r\n;😀\"\t\"1-1.BB,\"\t\"\nB,Ω\"\n\"true\"\t\"\"\t\"\\,\"\n\"\"\t\"\"\t\" \\\"\n\"\"\t\"2024-01-05\"\t\"1#;😀-0#;-a\"\n\"  \"\t\"true\"\t\"#漢\"\n\"true\"\t\"\"\t\"NA\"\n\"\"\t\"\"\t\"aaBaa;\"\n\"B-\t,' '|\"\t\"-\r\n\"\t\"  \"\n\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\t\"|\"\t\" -#\n\"\"#\t0\r\nΩ\"\n\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\t\" \t,|\"\t\"漢é B#\n\\||#0.\"\n\"2024-01-05\"\t\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\t\" 1\n\\,1é;\"\n\"éé,|é\r\n\"\t\"\\\r\n.1\"\t\"1\t \"\n\"é,\"\t\"1\"\t\"\"\"'Ωa;--'\"\n\";B0\\#.#,1;-\"\t\"\"\"#.'\"\"-0 é\"\t\"2024-01-05\"\n\",.;;a\r\n\\0B';\"\t\"long text of more than twelve bytes\"\t\"2024-01-05\"\n\"NA\"\t\"😀1,-漢\\B,漢 \t|\"\t\"007\"\n\";漢\r\n|;|\"\",\"\"漢|\r\n\"\t\",\r\nB😀\"\t\"\"\"漢aB\"\n\"1.,a漢aΩ漢漢,\"\t\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\t\"漢|\t1-\n\t\"\n\"\"\t\"1e5\"\t\"a😀漢-|B漢\"\n\"Ω\"\"é\"\t\"00;1😀\"\t\"\"\n\"\t,-'\"\t\"\n\t0漢漢#1😀\"\t\"é.'\t,\n\n\t0;\t\"\n\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\t\"null\"\t\"\"\n\"\\0\"\t\"a|Ω'a -\r\n0'-.\"\t\"';B..-\t\"\n\"\\😀1\\;1\n0\t;\"\t\"\"\t\"007\"\n\"1\\\\|1😀,\"\t\"1\"\t\"\"\n\"\\',\"\"Ω#\\\"\t\"1e5\"\t\"\r\n;a漢漢😀\t1\"\n\"null\"\t\"1e5\"\t\"  \"\n\"NA\"\t\"NA\"\t\"\"\n",
        columns = {
            { "x0", "\r\nB漢\\.漢", ";,;;\\😀Ω\"😀\n", ".|\r\naa\\a\",.B", "\n😀", "a\n\"'0\n", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "1", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "\"\\\n漢;a,0;", ".1\\Ω.\t'Ω", "2024-01-05", "-Ω\r\n;😀", "true", "", "", "  ", "true", "", "B-\t,' '|", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "2024-01-05", "éé,|é\r\n", "é,", ";B0\\#.#,1;-", ",.;;a\r\n\\0B';", "NA", ";漢\r\n|;|\",\"漢|\r\n", "1.,a漢aΩ漢漢,", "", "Ω\"é", "\t,-'", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "\\0", "\\😀1\\;1\n0\t;", "1\\\\|1😀,", "\\',\"Ω#\\", "null", "NA" },
            { "x1", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "2024-01-05", "Ωa\té", "true", "long text of more than twelve bytes", ",é\"|,", "\\;\\,-11Ba-", "\r\n漢\",\r\n😀..", "NA", "漢-.\r\n漢", "", "1-1.BB,", "", "", "2024-01-05", "true", "", "", "-\r\n", "|", " \t,|", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "\\\r\n.1", "1", "\"#.'\"-0 é", "long text of more than twelve bytes", "😀1,-漢\\B,漢 \t|", ",\r\nB😀", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "1e5", "00;1😀", "\n\t0漢漢#1😀", "null", "a|Ω'a -\r\n0'-.", "", "1", "1e5", "1e5", "NA" },
            { "x2", ";;", "long text of more than twelve bytes", "007", "007", "-0\"'漢-", "\\aB\"😀|", "007", "  ", "true", "1-é\r\n;.", "", "\nB,Ω", "\\,", " \\", "1#;😀-0#;-a", "#漢", "NA", "aaBaa;", "  ", " -#\n\"#\t0\r\nΩ", "漢é B#\n\\||#0.", " 1\n\\,1é;", "1\t ", "\"'Ωa;--'", "2024-01-05", "2024-01-05", "007", "\"漢aB", "漢|\t1-\n\t", "a😀漢-|B漢", "", "é.'\t,\n\n\t0;\t", "", "';B..-\t", "007", "", "\r\n;a漢漢😀\t1", "  ", "" },
        } },
    { separator = "|", text = "a|b|c\nx0|x1|x2\n",
        columns = {
            { "x0" },
            { "x1" },
            { "x2" },
        } },
    { separator = "|", text = "a|b|c\nx0|x1|x2\n|2024-01-05|true\n",
        columns = {
            { "x0", NA },
            { "x1", "2024-01-05" },
            { "x2", "true" },
        } },
    { separator = "|", text = "a|b|c\nx0|x1|x2\n|0.é.'Ω |\".0a😀0\n'\"\"\r\na😀Ω\"\n\",\r\n-\"|2024-01-05|\"'\n;漢\\a'1\"\n\";Ω\t\"\";,😀\\B\"|\"-\r\n\"|a\n\"'\r\nB\"|\"a漢|,😀\n#\"|null\n\"a\t\"\"-😀é-\"|Ω'0😀é|\" 'Ω.aΩ||B# \"\n007|\t\t1|  \n1e5|01---|\";😀'\r\n\n#\r\néaa0\"\nNA|long text of more than twelve bytes|\" \r\n\r\n\nΩ😀ΩéB,\"\"\"\n\t\t|  |\"-B\r\nΩé\"\nΩ|\";|aΩ😀1a\n\"|\",1\r\n,\n,Ba;漢\"\n\" \"\"\\-#\"\"1\"\"|#漢\"|1e5|\"1😀-\t;\\'\\\"\"\"\n2024-01-05|\"Ω😀1\r\n0;,漢\r\n ,\"|007\n007|\"'\"\",'\t-1\n\"|B;\té😀漢漢Ω😀😀\n| |\"\\a#B0 -\\\nB\n'\"\n\"-,0\t\"\"0B\"|\"\r\n\\\r\n;#\"|\";\r\n\"\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx|\"漢\"\"\n'\"|\n007|\"#0\nB😀é-\t😀|a;\"|\nNA|007|😀\nΩ|\"#a😀.\r\n'\"|\"Ω\"\" é\n\"\n漢##Ω\\,é#;Ω漢|\" -1\"\"-\\\"|true\n\"\\aé||\n-\"|long text of more than twelve bytes|é\n2024-01-05|007|\"a,\"\"1#a01\"\n1e5|\" '\\\nB0漢#\\ \"|007\n\"Ω|'  \"|true|null\n\"0|;Ω漢\\\"\"Ω#.Ω,\"|,| 漢 \n\"😀éé0B😀'| ;\"|xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx|null\nlong text of more than twelve bytes|\" 😀-\n00;\"|1e5\n\"0漢a.Ωé\r\n\"|,;|  a\n|\" 😀\r\n\"|long text of more than twelve bytes\na ;😀|\"漢é'.\"\"😀😀\\.a-\"|\"1\"\"\\#'1aΩ 漢B\n\"\n.|\"|\r\n\"|\"0\t|\n1'😀\n.\r\n\"\né-1,|long text of more than twelve bytes|long text of more than twelve bytes\n\"Ω\\0\r\n\r\n\"|\" |a -\n漢\n1\"|\n2024-01-05|\"\t|\"|\n1B;😀1é|\"a\t,0\n#\"|1-1BΩ,;1\t'\n \t\\\t\ta|2024-01-05|#\\\nlong text of more than twelve bytes|\"é#|\t\n\"|B00;\n\"1\té1-😀Ω\r\n\"||1e5\n1B|long text of more than twelve bytes|\";\\#,\t'|\"\n",
        columns = {
            { "x0", NA, ",\r\n-", ";Ω\t\";,😀\\B", "'\r\nB", "a\t\"-😀é-", "007", "1e5", "NA", "\t\t", "Ω", " \"\\-#\"1\"|#漢", "2024-01-05", "007", NA, "-,0\t\"0B", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "007", "NA", "Ω", "漢##Ω\\,é#;Ω漢", "\\aé||\n-", "2024-01-05", "1e5", "Ω|'  ", "0|;Ω漢\\\"Ω#.Ω,", "😀éé0B😀'| ;", "long text of more than twelve bytes", "0漢a.Ωé\r\n", NA, "a ;😀", ".", "é-1,", "Ω\\0\r\n\r\n", "2024-01-05", "1B;😀1é", " \t\\\t\ta", "long text of more than twelve bytes", "1\té1-😀Ω\r\n", "1B" },
            { "x1", "0.é.'Ω ", "2024-01-05", "-\r\n", "a漢|,😀\n#", "Ω'0😀é", "\t\t1", "01---", "long text of more than twelve bytes", "  ", ";|aΩ😀1a\n", "1e5", "Ω😀1\r\n0;,漢\r\n ,", "'\",'\t-1\n", " ", "\r\n\\\r\n;#", "漢\"\n'", "#0\nB😀é-\t😀|a;", "007", "#a😀.\r\n'", " -1\"-\\", "long text of more than twelve bytes", "007", " '\\\nB0漢#\\ ", "true", ",", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", " 😀-\n00;", ",;", " 😀\r\n", "漢é'.\"😀😀\\.a-", "|\r\n", "long text of more than twelve bytes", " |a -\n漢\n1", "\t|", "a\t,0\n#", "2024-01-05", "é#|\t\n", NA, "long text of more than twelve bytes" },
            { "x2", ".0a😀0\n'\"\r\na😀Ω", "'\n;漢\\a'1", "a", "null", " 'Ω.aΩ||B# ", "  ", ";😀'\r\n\n#\r\néaa0", " \r\n\r\n\nΩ😀ΩéB,\"", "-B\r\nΩé", ",1\r\n,\n,Ba;漢", "1😀-\t;\\'\\\"", "007", "B;\té😀漢漢Ω😀😀", "\\a#B0 -\\\nB\n'", ";\r\n", NA, NA, "😀", "Ω\" é\n", "true", "é", "a,\"1#a01", "007", "null", " 漢 ", "null", "1e5", "  a", "long text of more than twelve bytes", "1\"\\#'1aΩ 漢B\n", "0\t|\n1'😀\n.\r\n", "long text of more than twelve bytes", NA, NA, "1-1BΩ,;1\t'", "#\\", "B00;", "1e5", ";\\#,\t'|" },
        } },
    { separator = ",", text = "\"a\",\"b\",\"c\"\n\"x0\",\"x1\",\"x2\"\n",
        columns = {
            { "x0" },
            { "x1" },
            { "x2" },
        } },
    { separator = ",", text = "\"a\",\"b\",\"c\"\n\"x0\",\"x1\",\"x2\"\n\"null\",\"B|\\漢.\",\"Ω \"\"1é\"\n",
        columns = {
            { "x0", "null" },
            { "x1", "B|\\漢." },
            { "x2", "Ω \"1é" },
        } },
    { separator = ",", text = "\"a\",\"b\",\"c\"\n\"x0\",\"x1\",\"x2\"\n\"漢1漢.|😀B\"\"\",\"2024-01-05\",\n\"Bé'漢, éΩ\n\",\"007\",\"  \"\n\" BΩ0|\n\n漢1''.\",,\"NA\"\n\"\"\",a1.\"\"|\\éΩ漢漢\",\"007\",\".\\é😀|\\#\\😀.\"\n\"Ω\tB\",\"  \",\" -漢Ω漢'.\"\n\"  \",\"\\01. \"\"\n#;.'\",\"B1,😀0 ,'\n\n-\"\n\"1e5\",\"\t\\|\r\nBé'😀\",\"B\"\n\"007\",\"#😀-,\",\"long text of more than twelve bytes\"\n\"\r\n;\t#-\",\"\"\"\n\\\t漢漢\r\n漢😀\\ 0\",\"\r\n 漢 '漢B|\"\n\" |\"\"\"\"\t1;'漢\r\n😀\",\"long text of more than twelve bytes\",\"  \"\n\".\n\",\"1e5\",\"NA\"\n\"007\",\"NA\",\"\"\n\"\\1\r\n \\\r\n a\",\"1# 漢1\",\"\\#\"\n\"; aΩ\",\",#'\",\",\r\n😀-;\n\"\"\"\n\"true\",\"-é😀,é|\t\t-\",\"Ω1\"\"\"\"Ω\\\nB\"\n\"|\r\n\t1漢\"\"Ω|Ba.\",\".|.,\",\"\"\n\"\n漢\r\n\",\"1\t-\"\"\",\"true\"\n\"\"\"|-.\t00\r\n0\",\"0\",\"\nΩ-\"\"\"\",\r\n\t\"\n\"😀\t0\",\"éé😀#. B'\nB\",\"007\"\n\"'- #é\\;\",\"null\",\"\t1😀😀\t\\\"\n\"#é\",\"B '\r\n|\n\r\n 😀.\",\"\\,\"\n\";1😀, 1,1Ω\\##\",\"1\"\"\"\"漢Ω-\\Ω0\",\"- 'éé,\"\n\"\t#漢;\n\t\né😀\r\n.\",\"1e5\",\"007\"\n\"NA\",\"007\",\"\\'😀😀|0\\\\é😀,漢\"\n\"'漢'-\t-\",\"漢\",\"😀\\a\"\"\"\n\"\r\n\r\n\n|; \t\",\"漢1a\r\n漢-a-\\|\",\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\n\"Ω0\t\"\";B漢😀0\n\",\"\",\"2024-01-05\"\n\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\",\"  \",\"\\\"\"\"\n\"\t1 \r\n1😀\\,\"\"B;\t\",\"true\",\"\t\"\n\"😀Ω.\",\"😀\"\".a漢1';-B\r\n|\",\".\\\n😀\\\"\"\\B\t\"\n\"\n\",\"😀\"\"\r\n\",\"\r\nΩ.##-.\n-Ω\"\n\"null\",\"漢漢\r\na0 \r\n😀.;\",\"true\"\n\"NA\",\"aΩ'漢漢.\r\nΩa\",\"|\t#,é,\"\n\"\né.\",,\"1é\"\n\"0é-BB'#\",\"0\",\"1e5\"\n\"\"\"|a0 .#\",\"0\"\"\t\\1|\",\"long text of more than twelve bytes\"\n\"2024-01-05\",\"NA\",\"007\"\n\"1é\\Ω\"\"\",\"aB \\-|Ω-\",\"1e5\"\n\"007\",\"😀\taaa;漢\",\"éB1',;\"\n",
        columns = {
            { "x0", "漢1漢.|😀B\"", "Bé'漢, éΩ\n", " BΩ0|\n\n漢1''.", "\",a1.\"|\\éΩ漢漢", "Ω\tB", "  ", "1e5", "007", "\r\n;\t#-", " |\"\"\t1;'漢\r\n😀", ".\n", "007", "\\1\r\n \\\r\n a", "; aΩ", "true", "|\r\n\t1漢\"Ω|Ba.", "\n漢\r\n", "\"|-.\t00\r\n0", "😀\t0", "'- #é\\;", "#é", ";1😀, 1,1Ω\\##", "\t#漢;\n\t\né😀\r\n.", "NA", "'漢'-\t-", "\r\n\r\n\n|; \t", "Ω0\t\";B漢😀0\n", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "\t1 \r\n1😀\\,\"B;\t", "😀Ω.", "\n", "null", "NA", "\né.", "0é-BB'#", "\"|a0 .#", "2024-01-05", "1é\\Ω\"", "007" },
            { "x1", "2024-01-05", "007", NA, "007", "  ", "\\01. \"\n#;.'", "\t\\|\r\nBé'😀", "#😀-,", "\"\n\\\t漢漢\r\n漢😀\\ 0", "long text of more than twelve bytes", "1e5", "NA", "1# 漢1", ",#'", "-é😀,é|\t\t-", ".|.,", "1\t-\"", "0", "éé😀#. B'\nB", "null", "B '\r\n|\n\r\n 😀.", "1\"\"漢Ω-\\Ω0", "1e5", "007", "漢", "漢1a\r\n漢-a-\\|", "", "  ", "true", "😀\".a漢1';-B\r\n|", "😀\"\r\n", "漢漢\r\na0 \r\n😀.;", "aΩ'漢漢.\r\nΩa", NA, "0", "0\"\t\\1|", "NA", "aB \\-|Ω-", "😀\taaa;漢" },
            { "x2", NA, "  ", "NA", ".\\é😀|\\#\\😀.", " -漢Ω漢'.", "B1,😀0 ,'\n\n-", "B", "long text of more than twelve bytes", "\r\n 漢 '漢B|", "  ", "NA", "", "\\#", ",\r\n😀-;\n\"", "Ω1\"\"Ω\\\nB", "", "true", "\nΩ-\"\",\r\n\t", "007", "\t1😀😀\t\\", "\\,", "- 'éé,", "007", "\\'😀😀|0\\\\é😀,漢", "😀\\a\"", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "2024-01-05", "\\\"", "\t", ".\\\n😀\\\"\\B\t", "\r\nΩ.##-.\n-Ω", "true", "|\t#,é,", "1é", "1e5", "long text of more than twelve bytes", "007", "1e5", "éB1',;" },
        } },
    { separator = ";", text = "\"a\";\"b\";\"c\"\r\n\"x0\";\"x1\";\"x2\"\r\n",
        columns = {
            { "x0" },
            { "x1" },
            { "x2" },
        } },
    { separator = ";", text = "\"a\";\"b\";\"c\"\r\n\"x0\";\"x1\";\"x2\"\r\n\"\\漢0\t\té'0\"\"é\";\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\";\"0 \\a.\"\r\n",
        columns = {
            { "x0", "\\漢0\t\té'0\"é" },
            { "x1", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" },
            { "x2", "0 \\a." },
        } },
    { separator = ";", text = "\"a\";\"b\";\"c\"\r\n\"x0\";\"x1\";\"x2\"\r\n\"a\t\";\",;\\Ω;😀;\";\"\t''Bé#-😀.Ω\"\r\n\"\t\t\";\"B\\ \";\"a\t\\', #Ω,|\"\r\n\",-漢1😀1.é1Ωé\";\"\r\n0Ω\";\"01-\\0#0,B\"\r\n\"'|B\r\né\t- \"\",\";\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\";\"long text of more than twelve bytes\"\r\n\"long text of more than twelve bytes\";\"\n|\r\n\"\"|\";\"  ;;#.'\\\r\na,\"\r\n\"\"\"Ω,-\";\"  \";\".B漢 \"\r\n\"null\";\"  \";\"\"\"漢a\t0\r\n-|é\"\r\n\"1e5\";\"- Ω\\\";\"\n\n 1\\é\r\né1B\r\n,\"\r\n\",a\";\"a\r\né😀|😀\";\"\"\r\n\",\n|\";\",-\n ;0é\";\"\\0\"\r\n\"😀\"\"😀é\r\n\";\"Ω漢|\\1-漢\"\"a B\";\"null\"\r\n\"\"\"\";\"\\\n'é'|1\"\"-,\";\"Ω\t\"\r\n\"\n1#'\na,;\";\"-0||,\t\t\";\"漢\\\\ Ω-'Ω0,|.\"\r\n\"null\";\"null\";\"|',;0 \"\r\n\"\n😀a漢\";\"007\";\"'\\BΩ😀-,1\"\r\n\"true\";\"  \";\"😀,\\11\"\"#\n#\"\"\"\r\n\"long text of more than twelve bytes\";\"long text of more than twelve bytes\";\"\"\"'.\"\r\n\"漢é\"\"0;\";\"  \";\"\tΩ#\"\r\n\"\"\"漢.\t',a.B\";\"B-\\'\";\";é |\\ \\B\\\n\"\r\n\"0\"\"a'\";\"😀;.\";\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\r\n\";漢\";\"\r\n.😀\r\n;0B ,|\";\"true\"\r\n\"#1.漢;-Ω\";\"😀 |Ω😀B,\"\".\";\"true\"\r\n\"2024-01-05\";\"😀,\n-0;B.# \";\";;\"\r\n\"Ω\r\n-.-\";\",1\";\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\r\n\".a\r\n \"\".aΩ#-,\";\"\n0a\\-,,.|\";\".,😀\"\r\n\".\t\"\"Ω'\r\n\t\";\"NA\";\"1e5\"\r\n\"007\";\"\";\"B😀\r\né'B,Ωa\"\r\n\"😀\"\";a|;0a|''漢\";\"\n\n1\\\";\"é\\|0\taΩ\"\r\n\"null\";\"\"\" Ω.'\";\"null\"\r\n\"\t\t😀\\Ω\t||'\t漢#\";\"😀 B\";\"ΩBé1,Ω漢\"\r\n\"0😀a\t,\\\"\"\";\"NA\";\"\"\r\n\"007\";\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\";\r\n\"#\t😀\"\"\";\"\t, B|😀Ω1 B é\";\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\r\n\"😀\\ '😀a|\";\"true\";\".漢|,é\"\r\n\"; \"\"|0-é\";\"\r\n0\t\r\n\t#,\\\";\"Ω.\r\n\n\"\r\n\"--😀é--😀 ;-é \";\"007\";\",0,\"\"Ωéé漢Ba😀#\"\r\n\"..漢漢-' \n.1|\";\"true\";\r\n\"null\";\"true\";\"漢\\1B'\"\r\n\"\t .,0\"\"\";\"\t😀0\"\"\";\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\r\n",
        columns = {
            { "x0", "a\t", "\t\t", ",-漢1😀1.é1Ωé", "'|B\r\né\t- \",", "long text of more than twelve bytes", "\"Ω,-", "null", "1e5", ",a", ",\n|", "😀\"😀é\r\n", "\"", "\n1#'\na,;", "null", "\n😀a漢", "true", "long text of more than twelve bytes", "漢é\"0;", "\"漢.\t',a.B", "0\"a'", ";漢", "#1.漢;-Ω", "2024-01-05", "Ω\r\n-.-", ".a\r\n \".aΩ#-,", ".\t\"Ω'\r\n\t", "007", "😀\";a|;0a|''漢", "null", "\t\t😀\\Ω\t||'\t漢#", "0😀a\t,\\\"", "007", "#\t😀\"", "😀\\ '😀a|", "; \"|0-é", "--😀é--😀 ;-é ", "..漢漢-' \n.1|", "null", "\t .,0\"" },
            { "x1", ",;\\Ω;😀;", "B\\ ", "\r\n0Ω", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "\n|\r\n\"|", "  ", "  ", "- Ω\\", "a\r\né😀|😀", ",-\n ;0é", "Ω漢|\\1-漢\"a B", "\\\n'é'|1\"-,", "-0||,\t\t", "null", "007", "  ", "long text of more than twelve bytes", "  ", "B-\\'", "😀;.", "\r\n.😀\r\n;0B ,|", "😀 |Ω😀B,\".", "😀,\n-0;B.# ", ",1", "\n0a\\-,,.|", "NA", "", "\n\n1\\", "\" Ω.'", "😀 B", "NA", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "\t, B|😀Ω1 B é", "true", "\r\n0\t\r\n\t#,\\", "007", "true", "true", "\t😀0\"" },
            { "x2", "\t''Bé#-😀.Ω", "a\t\\', #Ω,|", "01-\\0#0,B", "long text of more than twelve bytes", "  ;;#.'\\\r\na,", ".B漢 ", "\"漢a\t0\r\n-|é", "\n\n 1\\é\r\né1B\r\n,", "", "\\0", "null", "Ω\t", "漢\\\\ Ω-'Ω0,|.", "|',;0 ", "'\\BΩ😀-,1", "😀,\\11\"#\n#\"", "\"'.", "\tΩ#", ";é |\\ \\B\\\n", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "true", "true", ";;", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", ".,😀", "1e5", "B😀\r\né'B,Ωa", "é\\|0\taΩ", "null", "ΩBé1,Ω漢", "", NA, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", ".漢|,é", "Ω.\r\n\n", ",0,\"Ωéé漢Ba😀#", NA, "漢\\1B'", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" },
        } },
}
