// The shape of options.json, declared rather than inferred.
import type {OptionsData} from '../option-data.ts'

declare const options: OptionsData
export = options
