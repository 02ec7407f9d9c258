import JobPlanning
import Testing

struct CSVRowTests {
    @Test(
        "fields of RFC 4180: quoted where they hold a comma, a quotation mark or a line's end",
        arguments: [
            ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("say \"no\"", "\"say \"\"no\"\"\""),
            ("two\nlines", "\"two\nlines\""), ("old\rmac", "\"old\rmac\""), ("dos\r\n", "\"dos\r\n\""),
            (" spaces ", " spaces "), ("=1+1", "=1+1"),
            // A combining mark behind a quotation mark, which are one `Character`.
            ("say \"\u{301} no", "\"say \"\"\u{301} no\""), ("\"\u{200D},\r", "\"\"\"\u{200D},\r\""),
        ]
    )
    func fields(text: String, expected: String) {
        #expect(CSVRow.text([text]) == expected)
        #expect(CSVRow.text(["x", text, "y"]) == "x,\(expected),y")
    }

    @Test(
        "texts that a spreadsheet would calculate become texts, numbers stay numbers",
        arguments: [
            ("=1+1", "'=1+1"), ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"), ("-2+3", "'-2+3"),
            ("@SUM(1)", "'@SUM(1)"),
            ("\t=1", "'\t=1"), ("=A1,B1", "\"'=A1,B1\""), ("-12.5", "-12.5"), ("+7", "+7"), ("-1e3", "-1e3"),
            ("a=1", "a=1"), ("", ""),
        ]
    )
    func formulas(text: String, expected: String) {
        #expect(CSVRow.text([text], isFormulaSafe: true) == expected)
    }
}
