import ProgramSupport

@main
enum Main {
    static func main() { ServiceProgram.run(SwipedMQTTCommand.line, SwipedMQTTCommand.run) }
}
