import FoundationEssentials
import ReaderTesting
import Testing

/// The test support's own cryptography against the published key tables, so that what it decrypts proves something.
@Suite struct DUKPTTests {
    struct Table: Decodable {
        struct Row: Decodable {
            var ksn: String
            var base: String
            var pin: String
            var macRequest: String
            var macResponse: String
            var dataRequest: String
            var dataResponse: String
            var mac: String

            enum CodingKeys: String, CodingKey {
                case ksn, base, pin
                case macRequest = "mac_req"
                case macResponse = "mac_resp"
                case dataRequest = "data_req"
                case dataResponse = "data_resp"
                case mac = "mac4_of_4012345678909D987"
            }
        }
        var bdk: String
        var ipek: String
        var rows: [Row]
    }

    struct AESTables: Decodable {
        struct Table: Decodable {
            var bdk: String
            var initialKey: String
            var rows: [[String: String]]

            enum CodingKeys: String, CodingKey {
                case bdk, rows
                case initialKey = "initial_key"
            }
        }
        var aes128: Table
        var aes256: Table
    }

    @Test func tripleDESTable() throws {
        let table = try PublishedVectors.load("DUKPT/published/tdes.json", as: Table.self)
        let baseKey = try PublishedVectors.bytes(table.bdk)
        #expect(table.rows.count >= 20)
        for row in table.rows {
            let keys = DUKPT(baseKey: baseKey, keySerialNumber: try PublishedVectors.bytes(row.ksn))
            #expect(Hex.text(keys.initialKey) == table.ipek)
            #expect(Hex.text(keys.key) == row.base)
            #expect(Hex.text(keys.key(.pin)) == row.pin)
            #expect(Hex.text(keys.key(.macRequest)) == row.macRequest)
            #expect(Hex.text(keys.key(.macResponse)) == row.macResponse)
            #expect(Hex.text(keys.key(.dataRequest)) == row.dataRequest)
            #expect(Hex.text(keys.key(.dataResponse)) == row.dataResponse)
            let code = TripleDES(key: keys.key(.macRequest)).retailMAC(Array("4012345678909D987".utf8))
            #expect(Hex.text(code.prefix(4)) == row.mac)
        }
    }

    @Test func aesTables() throws {
        let tables = try PublishedVectors.load("DUKPT/published/aes.json", as: AESTables.self)
        let names: [(String, AESDUKPT.Usage)] = [
            ("pin", .pin), ("mac_gen", .macGeneration), ("mac_ver", .macVerification), ("mac_both", .macBoth),
            ("data_enc", .dataEncryption), ("data_dec", .dataDecryption), ("data_both", .dataBoth),
        ]
        for table in [tables.aes128, tables.aes256] {
            for row in table.rows {
                let serial = try PublishedVectors.bytes(#require(row["ksn"]))
                let keys = AESDUKPT(baseKey: try PublishedVectors.bytes(table.bdk), keySerialNumber: serial)
                #expect(Hex.text(keys.initialKey) == table.initialKey)
                #expect(Hex.text(keys.transactionKey) == row["txn"])
                for (name, usage) in names { #expect(Hex.text(keys.key(usage)) == row[name], "\(name)") }
            }
        }
    }
}
