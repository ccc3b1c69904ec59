import {Flags} from '@oclif/core'
import {describeSchema, type JsonSchema} from '../lib/app/schema/describe-schema.ts'
import {writeOutput} from '../lib/app/write-output.ts'
import {BaseCommand} from '../lib/cli/base-command.ts'
import {escapeText} from '../lib/report/escape-text.ts'
import {toJsonText} from '../lib/report/json-text.ts'

export default class Schema extends BaseCommand {
  static override summary = 'Print the JSON Schema of desired-state files, for editors.'
  static override description =
    'With it, an editor completes the names of options, explains them and marks mistakes as they are typed. Begin a file with: # yaml-language-server: $schema=./felhom.schema.json'
  static override examples = ['<%= config.bin %> schema --out felhom.schema.json']
  static override flags = {
    out: Flags.string({
      char: 'o',
      helpValue: 'FILE',
      summary: 'File to write; without it the schema goes to stdout.',
    }),
  }

  override async run(): Promise<JsonSchema> {
    const {flags} = await this.parse(Schema)
    const schema = describeSchema()
    const text = toJsonText(schema, 1)
    if (flags.out !== undefined) {
      writeOutput(process.cwd(), flags.out, `${text}\n`)
      this.print(escapeText(`The schema is in ${flags.out}`))
    } else this.print(text)
    return schema
  }
}
