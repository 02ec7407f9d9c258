import TestSupport
import Testing

@testable import Transport

@Suite struct NameServiceSwitchTests {
    @Test(
        "sources that are neither the host file nor name servers are found",
        arguments: [
            ("hosts: files dns", false),
            ("hosts:\tfiles  dns # mymachines", false),
            ("hosts: files resolve [!UNAVAIL=return] dns", false),
            ("hosts: files mdns4_minimal [NOTFOUND=return] dns", true),
            ("passwd: files ldap\nhosts: dns files", false),
            ("hosts: files\nhosts: mymachines files dns", true),
            ("#hosts: ldap", false),
            ("", false),
        ]
    )
    func sources(text: String, isOther: Bool) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "nsswitch.conf")
        #expect(NameServiceSwitch.hasOtherSources(path) == isOther)
    }

    @Test("a machine without the file has none")
    func missing() {
        #expect(!NameServiceSwitch.hasOtherSources("/nowhere/nsswitch.conf"))
    }
}
