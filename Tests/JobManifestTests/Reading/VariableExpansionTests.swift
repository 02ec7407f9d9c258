@testable import JobManifest
import Testing

@Suite struct VariableExpansionTests {
    private static let environment = ["A": "1", "B_2": "two", "_c": "${A}", "EMPTY": ""]

    @Test(
        "each ${NAME} is replaced once, and $${ is ${",
        arguments: [
            ("", ""), ("$", "$"), ("$A", "$A"), ("{A}", "{A}"), ("$ {A}", "$ {A}"), ("${A}", "1"),
            ("x${A}y${B_2}z", "x1ytwoz"), ("${A}${A}", "11"), ("${_c}", "${A}"), ("a${EMPTY}b", "ab"),
            ("$${A}", "${A}"), ("$${", "${"), ("$$${A}", "$${A}"), ("${A}$${B_2}${B_2}", "1${B_2}two"),
            ("$${A}${A}", "${A}1"), ("${A}$", "1$"), ("é${A}é", "é1é"),
        ]
    )
    func expand(text: String, expected: String) throws {
        var variables = Variables(environment: Self.environment)
        let expanded = try variables.expand(text)
        #expect(expanded == expected)
        variables.forgetUnused()
        #expect(variables.expanded(text) == expected)
    }

    @Test(
        "what is no variable is refused, and stays as it is later",
        arguments: [
            ("${", "after ${ the name"), ("${A", "after ${ the name"), ("${}", "after ${ the name"),
            ("${1A}", "after ${ the name"), ("${A-}", "after ${ the name"), ("${Ä}", "after ${ the name"),
            ("x${NONE}", "variable NONE is not set"), ("${a}", "variable a is not set"),
        ]
    )
    func wrong(text: String, words: String) {
        var variables = Variables(environment: Self.environment)
        let error = #expect(throws: TextError.self) { try variables.expand(text) }
        #expect(error?.message.contains(words) == true)
        #expect(variables.expanded(text) == text)
    }

    @Test("only what a text has named is kept")
    func kept() throws {
        var variables = Variables(environment: Self.environment)
        _ = try variables.expand("${A}")
        variables.forgetUnused()
        #expect(variables.expanded("${A}${B_2}") == "1${B_2}")
        #expect(variables.all == ["A": "1"])
        #expect(throws: TextError.self) { try variables.expand("${B_2}") }
    }

    @Test(
        "a text has something to expand where it has ${",
        arguments: [("$", false), ("{}", false), ("$a{", false), ("a${", true), ("$${", true), ("", false)]
    )
    func occur(text: String, expected: Bool) {
        #expect(Variables.occur(in: text) == expected)
        #expect(Variables.escaped(text) == text.replacing("${", with: "$${"))
    }
}
